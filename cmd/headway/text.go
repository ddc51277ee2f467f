package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/validate"
)

// labelWidth is the width of the first column. It contains words for the topic of each line.
const labelWidth = len("agreement") + 1

// lines are those of a report in words: one for each topic.
type lines []string

// add adds a line, fit for a terminal whatever is in it.
func (l *lines) add(label, format string, args ...any) {
	*l = append(*l, fmt.Sprintf("%-*s", labelWidth, label)+visible(fmt.Sprintf(format, args...)))
}

// write writes a report, in words or as JSON.
func (c *console) write(report any, words lines, asJSON bool) error {
	text := []byte(strings.Join(words, "\n") + "\n")
	if asJSON {
		var err error
		if text, err = document(report); err != nil {
			return err
		}
	}
	if _, err := c.out.Write(text); err != nil {
		return errors.New("cannot write the report: " + err.Error())
	}
	return nil
}

// lines returns the report in words.
func (r *report) lines() (l lines) {
	l.add("response", "%s %s to %s, received %s", strconv.Itoa(r.Status), http.StatusText(r.Status), strings.TrimSpace(r.Method+" "+cut(r.URL, longText)), timeText(r.Received))
	if r.Verdict != "" {
		l.add("refused", "%s", r.refusal())
	}
	if r.RetryAfter >= 0 {
		l.add("wait", "the server asks to wait %v before the next request", r.RetryAfter)
	}
	for _, policy := range r.Violated {
		l.add("violated", "%s, as the body says", quoted(policy))
	}
	for i := range r.Limits {
		l.add("limit", "%s", r.Limits[i].text())
	}
	if len(r.Limits) == 0 {
		l.add("limits", "the response reports none")
	}
	r.addProblems(&l)
	r.addPacing(&l)
	if r.Status/100 == 3 && r.Status != http.StatusNotModified {
		l.add("note", "this is a redirect, which was not followed: inspect its target")
	}
	if r.Skipped > 0 {
		l.add("note", "%d lines of the recorded head are not header fields and were skipped", r.Skipped)
	}
	return l
}

// refusal says what the refusal means, and what shows that.
func (r *report) refusal() string {
	text := "the response refuses the request because of a limit"
	if r.Verdict == validate.VerdictNever.String() {
		text = "the response refuses the request for good: waiting does not help"
	}
	if r.Sign != "" {
		text += ", as " + quoted(r.Sign) + " shows"
	}
	return text
}

func timeText(t time.Time) string { return t.Format("2006-01-02 15:04:05.999 MST") }

// text says what is known of a limit, and what is not.
func (l *limit) text() string {
	text, missing := l.name()+" in "+l.Dialect+": "+l.known(), l.missing()
	if len(missing) > 0 {
		text += "; not reported: " + strings.Join(missing, ", ")
	}
	return text
}

func (l *limit) known() string {
	var parts []string
	add := func(isKnown bool, text string, args ...any) {
		if isKnown {
			parts = append(parts, fmt.Sprintf(text, args...))
		}
	}
	add(l.Remaining >= 0 && l.Quota >= 0, "%v of %v %s left", l.Remaining, l.Quota, cut(l.Unit, shortText))
	add(l.Remaining >= 0 && l.Quota < 0, "%v %s left", l.Remaining, cut(l.Unit, shortText))
	add(l.Remaining < 0 && l.Quota >= 0, "quota of %v %s", l.Quota, cut(l.Unit, shortText))
	add(l.Cost >= 0, "cost of this request %v", l.Cost)
	add(l.Window >= 0, "window %v", l.Window)
	add(l.Reset >= 0, "resets in %v", l.Reset)
	return strings.Join(parts, ", ")
}

func (l *limit) missing() (parts []string) {
	inTime := l.Unit != string(limits.ConcurrentRequests)
	for _, part := range []struct {
		isMissing bool
		name      string
	}{
		{l.Quota < 0, "quota"}, {l.Remaining < 0, "remaining"}, {l.Window < 0 && inTime, "window"}, {l.Reset < 0 && inTime, "reset"},
	} {
		if part.isMissing {
			parts = append(parts, part.name)
		}
	}
	return parts
}

// name returns the limit's name and partition key.
func (l *limit) name() string {
	name := "without a name"
	if l.Policy != "" {
		name = quoted(l.Policy)
	}
	if l.PartitionKey != "" {
		name += " with key " + cut(l.PartitionKey, shortText)
	}
	return name
}

// addProblems adds what was ignored, and what is not known.
func (r *report) addProblems(l *lines) {
	for i, p := range r.Problems {
		at := ""
		if p.Offset >= 0 {
			at = " at byte " + p.Offset.String()
		}
		l.add("problem", "%s%s: %s", cut(p.Field, longText), at, p.Reason)
		if isLast := i == len(r.Problems)-1 || r.Problems[i+1].Field != p.Field; isLast && p.Sent != "" {
			l.add("", "sent: %s", p.Sent)
		}
	}
	if len(r.Unknown) > 0 {
		l.add("unknown", "%s: they look like limits, and a profile could read them (docs/configuration.md#profiles)", cut(strings.Join(r.Unknown, ", "), 3*longText))
	}
}

// addPacing says when the next request may go, and how others follow.
func (r *report) addPacing(l *lines) {
	p := &r.Pacing
	pace := "no rate is reported: headway learns the pace from later responses"
	if p.Rate > 0 {
		pace = fmt.Sprintf("one request every %v (%v)", p.Rate.interval(), p.Rate)
	}
	if p.Many >= 0 {
		pace += fmt.Sprintf("; %d requests would take %v", manyRequests, p.Many)
	}
	switch {
	case !p.Limited:
		l.add("pacing", "no limit is known: requests are not delayed after the first responses")
	case p.Until == nil:
		l.add("pacing", "%s", pace)
	default:
		because := ""
		if p.Policy != "" {
			because = ", because of " + quoted(p.Policy)
		}
		l.add("hold", "nothing is sent for %v, until %s%s", p.Wait, timeText(*p.Until), because)
		l.add("then", "%s", pace)
	}
}

// A count is a number of units; negative: unknown, null in JSON.
type count int64

func (n count) String() string { return strconv.FormatInt(int64(n), 10) }

// MarshalJSON implements json.Marshaler.
func (n count) MarshalJSON() ([]byte, error) { return number(float64(n), n >= 0) }

// A span is a duration; negative: unknown. In JSON it is a number of seconds, or null.
type span time.Duration

var wholeUnit = regexp.MustCompile(`([hm])0[ms]$`)

// String returns the duration, rounded to three digits or to a second, whichever is finer.
func (s span) String() string {
	d := min(time.Duration(s), math.MaxInt64-time.Second) // leaves room for rounding up
	unit := time.Duration(1)
	for unit < time.Second && d/unit >= 1000 {
		unit *= 10
	}
	text := wholeUnit.ReplaceAllString(d.Round(unit).String(), "$1")
	return wholeUnit.ReplaceAllString(text, "$1")
}

// MarshalJSON implements json.Marshaler.
func (s span) MarshalJSON() ([]byte, error) { return number(time.Duration(s).Seconds(), s >= 0) }

// A rate is in requests per second; 0: none, null in JSON.
type rate float64

// String returns the rate, per the shortest usual time with at least one request.
func (r rate) String() string {
	n, per := float64(r), "second"
	switch {
	case n >= 1:
	case n >= 1./60:
		n, per = 60*n, "minute"
	case n >= 1./3600:
		n, per = 3600*n, "hour"
	default:
		n, per = 86400*n, "day"
	}
	digits := max(3, int(math.Log10(n))+1)
	return strconv.FormatFloat(n, 'g', digits, 64) + " per " + per
}

// interval returns the time between two requests.
func (r rate) interval() span {
	return span(min(float64(time.Second)/float64(r), math.MaxInt64/2))
}

// MarshalJSON implements json.Marshaler.
func (r rate) MarshalJSON() ([]byte, error) { return number(float64(r), r > 0) }

// number returns a number of six digits, or more if it is a whole one: processors differ in the last digits of a result.
func number(v float64, isKnown bool) ([]byte, error) {
	if !isKnown {
		return []byte("null"), nil
	}
	if v != math.Trunc(v) {
		v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	}
	return json.Marshal(v)
}
