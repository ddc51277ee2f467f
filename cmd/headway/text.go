package main

import (
	"errors"
	"fmt"
	"net/http"
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

func (l *lines) add(label, format string, args ...any) {
	*l = append(*l, fmt.Sprintf("%-*s", labelWidth, label)+fmt.Sprintf(format, args...))
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
	l.add("response", "%s %s to %s, received %s", strconv.Itoa(r.Status), http.StatusText(r.Status), strings.TrimSpace(r.Method+" "+visible(r.URL, longText)), timeText(r.Received))
	if r.Verdict != "" {
		l.add("refused", "%s", r.refusal())
	}
	if r.RetryAfter >= 0 {
		l.add("wait", "the server asks to wait %v before the next request", r.RetryAfter)
	}
	for _, policy := range r.Violated {
		l.add("violated", "%s, as the body says", quoted(policy, shortText))
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
		text += ", as " + quoted(r.Sign, shortText) + " shows"
	}
	return text
}

func timeText(t time.Time) string { return t.Format("2006-01-02 15:04:05.999 MST") }

// text says what is known of a limit, and what is not.
func (l *limit) text() string {
	var known, missing []string
	add := func(isKnown bool, what, text string, args ...any) {
		if isKnown {
			known = append(known, fmt.Sprintf(text, args...))
		} else if what != "" {
			missing = append(missing, what)
		}
	}
	unit, inTime := visible(l.Unit, shortText), l.Unit != string(limits.ConcurrentRequests)
	if l.Remaining >= 0 && l.Quota >= 0 {
		add(true, "", "%v of %v %s left", l.Remaining, l.Quota, unit)
	} else {
		add(l.Quota >= 0, "quota", "quota of %v %s", l.Quota, unit)
		add(l.Remaining >= 0, "remaining", "%v %s left", l.Remaining, unit)
	}
	add(l.Cost >= 0, "", "cost of this request %v", l.Cost)
	if inTime || l.Window >= 0 {
		add(l.Window >= 0, "window", "window %v", l.Window)
	}
	if inTime || l.Reset >= 0 {
		add(l.Reset >= 0, "reset", "resets in %v", l.Reset)
	}
	text := l.name() + " in " + l.Dialect + ": " + strings.Join(known, ", ")
	if len(missing) > 0 {
		text += "; not reported: " + strings.Join(missing, ", ")
	}
	return text
}

// name returns the limit's name and partition key.
func (l *limit) name() string {
	name := "without a name"
	if l.Policy != "" {
		name = quoted(l.Policy, shortText)
	}
	if l.PartitionKey != "" {
		name += " with key " + visible(l.PartitionKey, shortText)
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
		l.add("problem", "%s%s: %s", p.Field, at, p.Reason)
		if isLast := i == len(r.Problems)-1 || r.Problems[i+1].Field != p.Field; isLast && p.Sent != "" {
			l.add("", "sent: %s", p.Sent)
		}
	}
	if len(r.Unknown) > 0 {
		l.add("unknown", "%s: they look like limits, and a profile could read them (docs/configuration.md#profiles)", visible(strings.Join(r.Unknown, ", "), 3*longText))
	}
}

// addPacing says when the next request may go, and how others follow.
func (r *report) addPacing(l *lines) {
	p := &r.Pacing
	pace := "no rate is reported: headway learns the pace from later responses"
	if p.Rate > 0 {
		pace = fmt.Sprintf("one request every %v (%v)", p.Rate.interval(), p.Rate)
	}
	switch {
	case !p.Limited:
		l.add("pacing", "no limit is known: requests are not delayed after the first responses")
	case p.Until == nil:
		l.add("pacing", "%s", pace)
	default:
		because := ""
		if p.Policy != "" {
			because = ", because of " + quoted(p.Policy, shortText)
		}
		l.add("hold", "nothing is sent for %v, until %s%s", p.Wait, timeText(*p.Until), because)
		l.add("then", "%s", pace)
	}
}
