// Package audit finds out whether what a server tells about its rate limits is true. A Plan sends a bounded number of
// requests at a bounded rate, and Check compares what the responses told with what came of it. Check is a pure function
// of the exchanges: each check of its table is a small function, and says one of four things, see Verdict.
//
// No text of the package has the value of a header field, or any other text from the server than names of limits, units and
// fields.
package audit

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/validate"
)

// A Verdict is what a check has found.
type Verdict string

// The verdicts. Misleading is the one that an author has to mend.
const (
	True       Verdict = "true"
	Misleading Verdict = "misleading"
	NotTold    Verdict = "not told" // the server does not say it, so a client cannot know
	NotSeen    Verdict = "not seen" // the requests did not show it
)

// A Finding is what one check has found, of one limit or of all responses.
type Finding struct {
	ID         string  `json:"id"`
	Limit      string  `json:"limit,omitempty"` // whose finding it is, if there are several
	Verdict    Verdict `json:"verdict"`
	Text       string  `json:"text"`
	Suggestion string  `json:"suggestion,omitempty"`
}

func say(v Verdict, format string, args ...any) *Finding {
	return &Finding{Verdict: v, Text: fmt.Sprintf(format, args...)}
}

// with adds a suggestion.
func (f *Finding) with(suggestion string) *Finding {
	f.Suggestion = suggestion
	return f
}

// A Report is what an audit has found.
type Report struct {
	Findings  []Finding `json:"findings"`
	Suggested []string  `json:"suggested"` // header fields
	Notes     []string  `json:"notes"`
}

// Has reports whether a check has this verdict; id "" means any check.
func (r *Report) Has(id string, v Verdict) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return (id == "" || f.ID == id) && f.Verdict == v })
}

// A seen has all that an audit has seen.
type seen struct {
	all     []*Exchange
	refused []*Exchange
	cost    int64 // units of each request that the server does not state
	limits  []*series
	form    form // of resets
}

// Check makes the report on exchanges, of which there is at least one. cost is how many units a request uses unless the
// server says so, at least 1.
func Check(all []*Exchange, cost int64) *Report {
	s := &seen{all: all, cost: cost, limits: look(all, cost), form: formOf(all)}
	s.refused = slices.DeleteFunc(slices.Clone(all), func(x *Exchange) bool { return !x.Refused })
	r := &Report{Findings: s.findings(), Notes: []string{}}
	r.Suggested = s.suggested(r)
	return r
}

// findings runs all checks, in the order of the report. A check returns nil if there is nothing to say.
func (s *seen) findings() (found []Finding) {
	add := func(id, limit string, f *Finding) {
		if f != nil {
			f.ID, f.Limit = id, limit
			found = append(found, *f)
		}
	}
	each := func(id string, check func(*series, *form) *Finding) {
		for _, l := range s.limits {
			name := ""
			if len(s.limits) > 1 {
				name = nameOf(l.last().Reported)
			}
			add(id, name, check(l, &s.form))
		}
	}
	add("fields", "", s.fields())
	add("syntax", "", s.syntax())
	each("policy", (*series).policy)
	each("remaining", (*series).remaining)
	each("reset", (*series).reset)
	each("end", (*series).end)
	each("kind", (*series).kind)
	add("clock", "", s.clock())
	add("refusal", "", s.refusal())
	add("agreement", "", s.agreement())
	add("retry", "", s.retry())
	add("errors", "", s.errors())
	return found
}

// fields says which fields report limits.
func (s *seen) fields() *Finding {
	served, reporting, cached := 0, 0, 0
	names := map[limits.Dialect]bool{}
	for _, x := range s.all {
		if !x.isServed || x.Kind != Plain {
			continue
		}
		served++
		cached += one(x.Reading.Cached)
		reporting += one(len(x.Reading.Limits) > 0)
		for _, l := range x.Reading.Limits {
			names[l.Dialect] = true
		}
	}
	switch {
	case cached > 0:
		return say(NotSeen, "%d of %d responses came from a cache, and tell nothing of limits", cached, served).with("ask the server without the cache")
	case served == 0:
		return say(NotSeen, "no request was served")
	case reporting == 0:
		return say(NotTold, "served responses report no limit").with("report the limit with each response, so that clients can slow down before they are refused")
	}
	var known []string
	for d := limits.DialectRateLimit; d <= limits.DialectPolicy; d++ {
		if names[d] {
			known = append(known, generation(d))
		}
	}
	text := strings.Join(known, "; ")
	if reporting < served {
		return say(NotTold, "%s; %d of %d served responses have no limit", text, served-reporting, served)
	}
	return say(True, "%s", text)
}

// generation returns the names of the fields, and the drafts of draft-ietf-httpapi-ratelimit-headers that define them.
func generation(d limits.Dialect) string {
	switch d {
	case limits.DialectRateLimit:
		return "RateLimit and RateLimit-Policy, as in the drafts from 08 on"
	case limits.DialectDraft07:
		return "RateLimit and RateLimit-Policy, as in draft 07"
	case limits.DialectTrio:
		return "RateLimit-Limit, -Remaining and -Reset, as in the drafts up to 06"
	case limits.DialectPolicy:
		return "RateLimit-Policy alone"
	}
	return d.String() + ", which no document defines"
}

// syntax lists what cannot be read or believed.
func (s *seen) syntax() *Finding {
	var known []string
	hasRows := false
	for _, x := range s.all {
		hasRows = hasRows || len(x.rows) > 0
		for _, p := range x.Reading.Problems {
			text := strings.TrimPrefix(p.Error(), "validate: ")
			if p.Reason != validate.Cached && !slices.Contains(known, text) && len(known) < mostLimits {
				known = append(known, text)
			}
		}
	}
	switch {
	case len(known) > 0:
		return say(Misleading, "%s", strings.Join(known, "; "))
	case hasRows:
		return say(True, "all fields can be read")
	}
	return nil
}

// clock says whether the server's clock is right, if it matters.
func (s *seen) clock() *Finding {
	if !s.form.isTime {
		return nil
	}
	x := s.all[0]
	date, err := http.ParseTime(x.Response.Header.Get("Date"))
	switch {
	case err != nil:
		return say(Misleading, "resets are points in time, and there is no Date to compare them with").with(inDelays)
	case date.After(x.Received.Add(2 * tolerance)):
		return say(Misleading, "the server's clock is %v ahead of this machine's, and resets are points in time", short(date.Sub(x.Received))).with(inDelays)
	case date.Before(x.Sent.Add(-3 * tolerance)):
		return say(Misleading, "the server's clock is %v behind this machine's, and resets are points in time", short(x.Sent.Sub(date))).with(inDelays)
	}
	return say(True, "the server's clock is that of this machine")
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

func short(d time.Duration) time.Duration {
	if d.Abs() < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(100 * time.Millisecond)
}

// suggested returns fields in the form of the draft that tell what the responses told, and leave open what is not known
// or not true. It returns none if the responses have these fields and nothing is to be mended.
func (s *seen) suggested(r *Report) []string {
	if len(s.limits) == 0 {
		return []string{`RateLimit-Policy: "default";q=QUOTA;w=SECONDS`, `RateLimit: "default";r=REMAINING;t=SECONDS`}
	}
	isDraft := true
	var policies, lefts []string
	for _, l := range s.limits {
		p := l.last()
		isDraft = isDraft && p.Dialect == limits.DialectRateLimit
		name, unit := `"`+bare(cmp.Or(p.Policy, "default"))+`"`, ""
		if p.Unit != "" && p.Unit != limits.Requests {
			unit = `;qu="` + bare(string(p.Unit)) + `"`
		}
		hasLeft := p.Remaining >= 0 && !r.Has("remaining", Misleading)
		hasReset := p.Reset >= 0 && !r.Has("reset", Misleading) && !r.Has("end", Misleading)
		seconds := func(d time.Duration) int64 { return int64(math.Ceil(d.Seconds())) }
		policies = append(policies, name+";q="+known(p.Quota >= 0, p.Quota, "QUOTA")+unit+";w="+known(p.Window >= 0, seconds(p.Window), "SECONDS"))
		lefts = append(lefts, name+";r="+known(hasLeft, p.Remaining, "REMAINING")+";t="+known(hasReset, seconds(p.Reset), "SECONDS"))
	}
	if isDraft && !r.Has("policy", NotTold) && !r.Has("", Misleading) {
		return []string{}
	}
	return []string{"RateLimit-Policy: " + strings.Join(policies, ", "), "RateLimit: " + strings.Join(lefts, ", ")}
}

// bare returns a name as a String of RFC 9651 can hold it.
func bare(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return -1
		}
		return r
	}, name[:min(len(name), 40)])
}

// known returns a number, or what stands for it.
func known(isKnown bool, n int64, placeholder string) string {
	if !isKnown {
		return placeholder
	}
	return fmt.Sprint(n)
}
