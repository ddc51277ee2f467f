package audit

import (
	"fmt"
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

// A check looks at all exchanges, or at one limit.
type check struct {
	id  string
	all func(*seen) *Finding
	one func(*seen, *series) *Finding
}

// checks is the table, in the order of the report. A check returns nil if there is nothing to say.
func checks() []check {
	return []check{
		{id: "fields", all: (*seen).fields},
		{id: "syntax", all: (*seen).syntax},
		{id: "policy", one: (*seen).policy},
		{id: "remaining", one: (*seen).remaining},
		{id: "reset", one: (*seen).reset},
		{id: "end", one: (*seen).end},
		{id: "kind", one: (*seen).kind},
		{id: "clock", all: (*seen).clock},
		{id: "refusal", all: (*seen).refusal},
		{id: "agreement", all: (*seen).agreement},
		{id: "retry", all: (*seen).retry},
		{id: "errors", all: (*seen).errors},
		{id: "304", all: (*seen).notModified},
	}
}

// findings runs all checks.
func (s *seen) findings() []Finding {
	var found []Finding
	add := func(id, limit string, f *Finding) {
		if f != nil {
			f.ID, f.Limit = id, limit
			found = append(found, *f)
		}
	}
	for _, c := range checks() {
		if c.all != nil {
			add(c.id, "", c.all(s))
			continue
		}
		for _, l := range s.limits {
			name := l.name
			if len(s.limits) == 1 {
				name = ""
			}
			add(c.id, name, c.one(s, l))
		}
	}
	return found
}

func say(v Verdict, format string, args ...any) *Finding {
	return &Finding{Verdict: v, Text: fmt.Sprintf(format, args...)}
}

// with adds a suggestion.
func (f *Finding) with(suggestion string) *Finding {
	f.Suggestion = suggestion
	return f
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
		if x.reading.Cached {
			cached++
		}
		if len(x.reading.Limits) > 0 {
			reporting++
		}
		for _, l := range x.reading.Limits {
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
		for _, p := range x.reading.Problems {
			text := problem(p)
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

func problem(p *validate.Problem) string {
	text := strings.TrimPrefix(p.Error(), "validate: "+p.Field)
	return field(p.Field) + text
}

// field returns the name of a field, spelled as in the drafts.
func field(name string) string {
	return strings.Replace(strings.Trim(word(name), `"`), "Ratelimit", "RateLimit", 1)
}

// clock says whether the server's clock is right, if it matters.
func (s *seen) clock() *Finding {
	if form, _ := s.form(); form == delay {
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

func short(d time.Duration) time.Duration {
	if d.Abs() < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(100 * time.Millisecond)
}
