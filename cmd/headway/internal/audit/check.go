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

// generation returns the names of the fields, and the drafts that define them.
func generation(d limits.Dialect) string {
	const draft = "draft-ietf-httpapi-ratelimit-headers"
	switch d {
	case limits.DialectRateLimit:
		return "RateLimit and RateLimit-Policy, as in " + draft + "-08 and later"
	case limits.DialectDraft07:
		return "RateLimit and RateLimit-Policy, as in " + draft + "-07"
	case limits.DialectTrio:
		return "RateLimit-Limit, -Remaining and -Reset, as in " + draft + "-06 and before"
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
	return strings.Trim(word(p.Field), `"`) + text
}

// policy says whether clients can know quota and window.
func (s *seen) policy(l *series) *Finding {
	last := l.points[len(l.points)-1]
	var missing []string
	if last.Quota < 0 {
		missing = append(missing, "the quota")
	}
	if last.Window < 0 {
		missing = append(missing, "the window")
	}
	if len(missing) == 0 {
		return say(True, "%d %s per %v", last.Quota, last.Unit, short(last.Window))
	}
	return say(NotTold, "%s", strings.Join(missing, " and ")).with("add RateLimit-Policy, so that clients know which rate is sustainable")
}

// remaining says whether the remaining quota falls by the cost of each request.
func (s *seen) remaining(l *series) *Finding {
	var n, equal, less, none, refilled int
	var more int64
	for i := range l.pairs {
		p := &l.pairs[i]
		drop, ok := p.drop()
		if !ok || !p.isWithin() {
			continue
		}
		n++
		switch {
		case drop == p.cost:
			equal++
		case drop > p.cost:
			more = max(more, drop)
		case drop == 0:
			none++
		default:
			less++
		}
		if b := p.before; b.Window > 0 && b.Quota > 0 && float64(b.Quota)*p.elapsed().Seconds() >= float64(p.cost)*b.Window.Seconds() {
			refilled++
		}
	}
	switch {
	case !slices.ContainsFunc(l.points, func(p point) bool { return p.Remaining >= 0 }):
		return say(NotTold, "what is left")
	case n == 0:
		return say(NotSeen, "units come back before two requests could be compared")
	case n == equal:
		return say(True, "it falls by %d with each request, as it costs", l.pairs[0].cost)
	case more > 0 && equal == 0:
		return say(NotTold, "a request seems to cost %d, and nothing says so, or others use the limit", more).with("tell the cost: parameter c of RateLimit, from draft 11 on")
	case more > 0:
		return say(NotSeen, "it falls by up to %d with a request: others may use the limit", more)
	case none == n && n >= 3 && refilled < n:
		return say(Misleading, "it does not fall: after %d requests as much is left as before", n).with("count each request before its response is written")
	case none == n:
		return say(NotSeen, "it does not fall: units may come back as fast as they are used")
	}
	return say(True, "it falls by the cost of each request, less what comes back")
}

// resetForm says in which form resets are told, and what is wrong with it.
func (s *seen) resetForm() (form string, wrong *Finding) {
	for _, x := range s.all {
		for i := range x.rows {
			row := &x.rows[i]
			isDraft := row.Family == limits.DialectRateLimit || row.Family == limits.DialectDraft07 || row.Family == limits.DialectTrio
			isTime := !row.Reset.At.IsZero() || row.Reset.After > 366*24*time.Hour
			if isTime && isDraft {
				return "", say(Misleading, "%s has a point in time, and the drafts define a delay in seconds", strings.Trim(word(row.Names.Reset), `"`)).with("send the seconds until the reset")
			}
			if isTime {
				form = "a point in time"
			}
		}
	}
	if form == "" {
		form = "a delay"
	}
	return form, nil
}

// reset says whether the time to the reset is one, and of which unit.
func (s *seen) reset(l *series) *Finding {
	var fell, elapsed, longest time.Duration
	told := false
	for _, p := range l.points {
		told = told || p.Reset >= 0
		longest = max(longest, p.Reset-max(p.Window, 0))
	}
	for i := range l.pairs {
		p := &l.pairs[i]
		if drop, ok := p.drop(); !p.end.IsZero() && p.after.Reset >= 0 && p.isWithin() && (!ok || drop >= 0) { // no new window
			fell += p.before.Reset - p.after.Reset
			elapsed += p.elapsed()
		}
	}
	form, wrong := s.resetForm()
	last := l.points[len(l.points)-1]
	near := func(a, b time.Duration) bool { return (a - b).Abs() <= max(tolerance*3/2, b/10) }
	const inSeconds = "the drafts define seconds: divide it by 1000"
	switch {
	case !told:
		return say(NotTold, "when units come back").with("tell it in seconds: parameter t of RateLimit")
	case wrong != nil:
		return wrong
	case elapsed > tolerance/2 && fell > 100*elapsed && near(fell/1000, elapsed):
		return say(Misleading, "it counts milliseconds, and clients read seconds").with(inSeconds)
	case last.Window > 0 && longest > 100*last.Window:
		return say(Misleading, "it is up to %v longer than the window: does it count milliseconds?", short(longest)).with(inSeconds)
	case last.Window > 0 && longest > 2*tolerance:
		return say(Misleading, "it is up to %v longer than the window", short(longest))
	case elapsed < 2*tolerance:
		return say(NotSeen, "%s; it was not watched for long enough to know its unit", form)
	case near(fell, elapsed):
		return say(True, "%s, which comes nearer as time passes", form)
	case fell.Abs() <= tolerance:
		return say(NotSeen, "%s; it stays the same, so its unit does not show", form)
	}
	return say(NotSeen, "%s; it moves with each request, so its unit does not show", form)
}

// end says whether units are back when the reset says.
func (s *seen) end(l *series) *Finding {
	var lead time.Duration
	var back int64
	late, early, falls := false, false, false
	for i := range l.pairs {
		p := &l.pairs[i]
		drop, ok := p.drop()
		n, _ := p.back()
		falls = falls || ok && drop > 0
		isWaste := p.before.Remaining >= 0 && p.before.Remaining < p.cost && p.after.refused // the refusal after the wait
		switch {
		case p.isPast() && (isWaste || ok && n <= 0):
			early = true
		case p.isPast() && ok:
			back = max(back, n)
		case ok && n > 0 && !p.end.IsZero() && p.after.Received.Before(p.end.Add(-tolerance)):
			late, lead = true, max(lead, p.end.Sub(p.after.Received))
		}
	}
	switch {
	case s.reset(l).Verdict == Misleading: // which is said already
		return nil
	case early:
		return say(Misleading, "too early: at the reset nothing was back").with("round the time until units are available up")
	case late && falls:
		return say(Misleading, "too late: units were back up to %v before the reset", short(lead)).with("tell when the next units are available, not when all are")
	case back > 0:
		return say(True, "after the reset %d units were back", back)
	}
	return say(NotSeen, "whether units are back at the reset")
}

// kind says which kind of limiter it seems to be.
func (s *seen) kind(l *series) *Finding {
	var drift time.Duration // of the reset, into the future, while nothing should have come back
	isBit, isWhole := false, false
	for i := range l.pairs {
		p := &l.pairs[i]
		n, ok := p.back()
		hasAll := p.after.Quota >= 0 && p.after.Remaining >= p.after.Quota-p.cost
		switch {
		case !ok || p.end.IsZero():
		case p.isPast() && hasAll && n > 1:
			isWhole = true
		case n > 0 && p.before.Remaining > p.after.Remaining-p.after.Quota/2:
			isBit = true
		case p.isWithin() && p.after.Reset >= 0:
			drift += p.after.Received.Add(p.after.Reset).Sub(p.end)
		}
	}
	switch {
	case s.remaining(l).Verdict != True || s.reset(l).Verdict == Misleading:
		return say(NotSeen, "which algorithm it is")
	case isBit:
		return say(True, "units come back bit by bit, as in a token bucket or a sliding window")
	case drift > 2*tolerance:
		return say(True, "the reset moves with the requests, as in a token bucket or a sliding window")
	case isWhole:
		return say(True, "a fixed window: at its end all units are back")
	}
	return say(NotSeen, "which algorithm it is")
}

// clock says whether the server's clock is right, if it matters.
func (s *seen) clock() *Finding {
	if form, wrong := s.resetForm(); wrong == nil && form == "a delay" {
		return nil
	}
	x := s.all[0]
	date, err := http.ParseTime(x.Response.Header.Get("Date"))
	switch {
	case err != nil:
		return say(Misleading, "resets are points in time, and there is no Date to compare them with").with("send the seconds until the reset")
	case date.After(x.Received.Add(2 * tolerance)):
		return say(Misleading, "the server's clock is %v ahead of this machine's, and resets are points in time", short(date.Sub(x.Received))).with("send the seconds until the reset")
	case date.Before(x.Sent.Add(-3 * tolerance)):
		return say(Misleading, "the server's clock is %v behind this machine's, and resets are points in time", short(x.Sent.Sub(date))).with("send the seconds until the reset")
	}
	return say(True, "the server's clock is that of this machine")
}

func short(d time.Duration) time.Duration {
	if d.Abs() < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(100 * time.Millisecond)
}
