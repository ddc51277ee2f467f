package audit

import (
	"slices"
	"time"

	"github.com/headway-go/headway/limits"
)

// policy says whether clients can know quota and window.
func (s *seen) policy(l *series) *Finding {
	const suggestion = "add RateLimit-Policy, so that clients know which rate is sustainable"
	switch last := l.last(); {
	case last.Quota < 0 && last.Window < 0:
		return say(NotTold, "the quota and the window").with(suggestion)
	case last.Quota < 0:
		return say(NotTold, "the quota").with(suggestion)
	case last.Window < 0:
		return say(NotTold, "the window").with(suggestion)
	default:
		return say(True, "%d %s per %v", last.Quota, last.Unit, short(last.Window))
	}
}

// falls counts by how much the remaining quota fell with requests, while no units should have come back.
type falls struct {
	n, equal, none int   // all; those by the cost of the request; those by nothing
	more           int64 // the largest one above the cost
	isRefilled     bool  // units may come back as fast as they were used
}

func (l *series) falls() falls {
	f := falls{isRefilled: true}
	for i := range l.pairs {
		p := &l.pairs[i]
		drop, ok := p.drop()
		if !ok || !p.isWithin() {
			continue
		}
		f.n++
		f.equal += one(drop == p.cost)
		f.none += one(drop == 0)
		if drop > p.cost {
			f.more = max(f.more, drop)
		}
		b := p.before
		f.isRefilled = f.isRefilled && b.Window > 0 && float64(b.Quota)*p.elapsed().Seconds() >= float64(p.cost)*b.Window.Seconds()
	}
	return f
}

// remaining says whether the remaining quota falls by the cost of each request.
func (s *seen) remaining(l *series) *Finding {
	f := l.falls()
	switch {
	case !slices.ContainsFunc(l.points, func(p point) bool { return p.Remaining >= 0 }):
		return say(NotTold, "what is left")
	case f.n == 0:
		return say(NotSeen, "units come back before two requests could be compared")
	case f.n == f.equal:
		return say(True, "it falls by %d with each request, as it costs", l.pairs[0].cost)
	case f.more > 0 && f.equal == 0:
		return say(NotTold, "a request seems to cost %d, and nothing says so, or others use the limit", f.more).with("tell the cost: parameter c of RateLimit, from draft 11 on")
	case f.more > 0:
		return say(NotSeen, "it falls by up to %d with a request: others may use the limit", f.more)
	case f.none < f.n:
		return say(True, "it falls by the cost of each request, less what comes back")
	case f.n >= 3 && !f.isRefilled:
		return say(Misleading, "it does not fall: after %d requests as much is left as before", f.n).with("count each request before its response is written")
	}
	return say(NotSeen, "it does not fall: units may come back as fast as they are used")
}

// form says in which form resets are told, and what is wrong with it.
func (s *seen) form() (form string, wrong *Finding) {
	form = delay
	for _, x := range s.all {
		for i := range x.rows {
			row := &x.rows[i]
			isTime := !row.Reset.At.IsZero() || row.Reset.After > 366*24*time.Hour
			isDraft := row.Family == limits.DialectRateLimit || row.Family == limits.DialectDraft07 || row.Family == limits.DialectTrio
			if isTime && isDraft {
				return form, say(Misleading, "%s has a point in time, and the drafts define a delay in seconds", field(row.Names.Reset)).with(inDelays)
			}
			if isTime {
				form = "a point in time"
			}
		}
	}
	return form, nil
}

const (
	delay     = "a delay"
	inDelays  = "send the seconds until the reset"
	inSeconds = "the drafts define seconds: divide it by 1000"
)

// watched returns by how much the reset came nearer, and in which time, while no units should have come back.
func (l *series) watched() (fell, elapsed time.Duration) {
	for i := range l.pairs {
		p := &l.pairs[i]
		drop, ok := p.drop()
		isNew := ok && drop < 0 // another window
		if !p.end.IsZero() && p.after.Reset >= 0 && p.isWithin() && !isNew {
			fell += p.before.Reset - p.after.Reset
			elapsed += p.elapsed()
		}
	}
	return fell, elapsed
}

// reset says whether the time to the reset is one, and of which unit.
func (s *seen) reset(l *series) *Finding {
	form, wrong := s.form()
	switch {
	case !slices.ContainsFunc(l.points, func(p point) bool { return p.Reset >= 0 }):
		return say(NotTold, "when units come back").with("tell it in seconds: parameter t of RateLimit")
	case wrong != nil:
		return wrong
	}
	var over time.Duration // the window
	for _, p := range l.points {
		if p.Window > 0 {
			over = max(over, p.Reset-p.Window)
		}
	}
	fell, elapsed := l.watched()
	near := func(a, b time.Duration) bool { return (a - b).Abs() <= max(tolerance*3/2, b/10) }
	switch {
	case elapsed > tolerance/2 && fell > 100*elapsed && near(fell/1000, elapsed):
		return say(Misleading, "it counts milliseconds, and clients read seconds").with(inSeconds)
	case over > 100*l.last().Window && over > 0:
		return say(Misleading, "it is up to %v longer than the window: does it count milliseconds?", short(over)).with(inSeconds)
	case over > 2*tolerance:
		return say(Misleading, "it is up to %v longer than the window", short(over))
	case elapsed < 2*tolerance:
		return say(NotSeen, "%s; it was not watched for long enough to know its unit", form)
	case near(fell, elapsed):
		return say(True, "%s, which comes nearer as time passes", form)
	}
	return say(NotSeen, "%s; it does not come nearer as time passes, so its unit does not show", form)
}

// isEarly reports whether nothing was back when it should have been.
func (p *pair) isEarly() bool {
	n, ok := p.back()
	wasUp := p.before.Remaining >= 0 && p.before.Remaining < p.cost
	return p.isPast() && (ok && n <= 0 || wasUp && p.after.refused)
}

// lead returns for how long units were back before they should have been, as far as it is known.
func (p *pair) lead() time.Duration {
	if n, ok := p.back(); !ok || n <= 0 || p.end.IsZero() || !p.isWithin() {
		return 0
	}
	return p.end.Sub(p.after.Received)
}

// end says whether units are back when the reset says.
func (s *seen) end(l *series) *Finding {
	var lead time.Duration
	var back int64
	isEarly, falls := false, false
	for i := range l.pairs {
		p := &l.pairs[i]
		drop, ok := p.drop()
		falls = falls || ok && drop > 0
		isEarly, lead = isEarly || p.isEarly(), max(lead, p.lead())
		if n, ok := p.back(); ok && p.isPast() {
			back = max(back, n)
		}
	}
	switch {
	case s.reset(l).Verdict == Misleading: // which is said already
		return nil
	case isEarly:
		return say(Misleading, "too early: at the reset nothing was back").with("round the time until units are available up")
	case lead > 0 && falls:
		return say(Misleading, "too late: units were back up to %v before the reset", short(lead)).with("tell when the next units are available, not when all are")
	case back > 0:
		return say(True, "after the reset %d units were back", back)
	}
	return say(NotSeen, "whether units are back at the reset")
}

// returns finds out whether units came back bit by bit, and whether all were back at the reset.
func (l *series) returns() (isBit, isWhole bool) {
	for i := range l.pairs {
		p := &l.pairs[i]
		n, ok := p.back()
		if !ok || p.end.IsZero() {
			continue
		}
		hasAll := p.after.Quota >= 0 && p.after.Remaining >= p.after.Quota-p.cost
		isAtEnd := p.isPast() && hasAll && n > 1
		isWhole = isWhole || isAtEnd
		isBit = isBit || !isAtEnd && n > 0 && p.before.Remaining > p.after.Remaining-p.after.Quota/2
	}
	return isBit, isWhole
}

// kind says which kind of limiter it seems to be.
func (s *seen) kind(l *series) *Finding {
	isBit, isWhole := l.returns()
	fell, elapsed := l.watched()
	switch {
	case s.remaining(l).Verdict != True || s.reset(l).Verdict == Misleading:
	case isBit:
		return say(True, "units come back bit by bit, as in a token bucket or a sliding window")
	case elapsed-fell > 2*tolerance:
		return say(True, "the reset moves with the requests, as in a token bucket or a sliding window")
	case isWhole:
		return say(True, "a fixed window: at its end all units are back")
	}
	return say(NotSeen, "which algorithm it is")
}
