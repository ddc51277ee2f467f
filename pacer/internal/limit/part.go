package limit

import (
	"math"

	"github.com/headway-go/headway/limits"
)

// A Part is what a fleet allots to this client, in place of the estimated share. Of a limit that refills it is a share
// of the pace, and of a window a number of units. A Share of 0: nothing is allotted yet.
type Part struct {
	limits.Part

	end, at, Until float64 // about when the window of Units ends, when a client was told Remaining, and when the part expires
}

// ClockError is by how many seconds clocks of several clients differ at most. Less: older reports count as newer, and
// clients prolong each other's holds for ever.
const ClockError = 0.5

// Allotted returns the part that counts; nil: none.
func (l *Limit) Allotted(now float64) *Part {
	if l.Part != nil && now < l.Part.Until && l.IsShareable() {
		return l.Part
	}
	return nil
}

// IsShareable reports whether a fleet can divide the limit.
func (l *Limit) IsShareable() bool { return l.IsPaced() && (l.Length == nil || l.Length.Reset > 0) }

// Await makes a new member of a fleet wait for its part, until a time at most. Its first burst comes after that.
func (l *Limit) Await(until float64) { l.Part = &Part{Until: until} }

// Allot takes over a part that lasts for some seconds, and the remaining quota that another client was told, if that is
// newer. When the part expires, the measured share begins at the part.
func (l *Limit) Allot(now, lasts float64, in *limits.Part) {
	p := &Part{Part: *in, end: now + in.Ends.Seconds(), at: now - in.Age.Seconds(), Until: now + lasts}
	if p.Share = min(p.Share, 1); !(p.Share >= eps) { // or NaN
		p.Share = 0
	}
	if l.PartShare(now) == 1 && p.Share > 0 && p.Share < 1 { // what spoke for or against a kind of limiter was the fleet's use
		l.Belief = belief{}
	}
	l.Part = p
	if w := p.Window.Seconds(); l.Length != nil && w > 2*rounding && !p.Refills {
		l.Window, l.Length.HasResets = max(l.Length.Reset, min(w, intervalMost)), true
	}
	if e := l.endAt(now); now > e.Lo && p.end-e.mid() >= l.Window/2 { // another client has seen that this window has ended
		l.Ends = span{e.Lo, now - eps}
	}
	_, most := l.memory()
	l.Share = share{Own: p.Share * most, All: most}
	l.Share.settle()
	end := l.endAt(now)
	if l.guesses(now) { // another client was told
		end = span{p.end - rounding, p.end + rounding}
	}
	if l.isNews(now, end, p) {
		l.Ends = end
		l.Left, l.Mark, l.Ahead, l.Behind = min(float64(p.Remaining), l.Quota), l.Units, 0, 0
		l.Sent, l.Seen = p.at, p.at
	}
}

// isNews reports whether what another client was told at a time is of this window, and newer. With an own request in flight
// it may or may not include that. Of a limit that refills it never counts: all clients would slow down at once.
func (l *Limit) isNews(now float64, end span, p *Part) bool {
	isOfWindow := end.known() && p.at >= end.Hi-l.Window && p.at <= min(now, end.Lo)
	return isOfWindow && p.Remaining >= 0 && p.at-l.Seen > ClockError && l.candidate(now) == asWindow && l.Units <= l.Mark
}

// WasTold reports whether a client of the fleet was told since then what remains. Then no other one need look.
func (l *Limit) WasTold(since float64) bool {
	return l.Part != nil && l.Part.Remaining >= 0 && l.Part.at > since
}

// guesses reports whether the end of the open window follows from a guess of its length, and from no reading of it.
func (l *Limit) guesses(now float64) bool { return l.Length != nil && now > l.Ends.Hi }

// allot makes the curve that of a window with as many units as are allotted, for this client alone.
func (s *supply) allot(at float64) {
	units := s.partUnits(s.endAt(at))
	sent := s.since(s.Ends.Lo-s.Window) - s.own() // in the window of the last reading, up to it
	s.remains = min(s.remains, s.partUnits(s.Ends)-sent)
	if s.n = units / s.Window; units == 0 {
		s.n = s.nominal() * s.s
	}
	s.total, s.s = units, 1
}

// partUnits returns how many units of the window with that end are allotted.
func (l *Limit) partUnits(end span) float64 {
	if end.known() && math.Abs(end.mid()-l.Part.end) >= l.Window/2 {
		return max(float64(l.Part.Next), 0)
	}
	return max(float64(l.Part.Units), 0)
}

// PartShare returns the part; 1 if none is allotted.
func (l *Limit) PartShare(now float64) float64 {
	if p := l.Allotted(now); p != nil && p.Share > 0 {
		return p.Share
	}
	return 1
}

// Use returns the numbers that the other clients of a fleet need to know, and about when the open window ends; 0: unknown.
// Used begins at the earliest time at which the window may have begun: a fleet allots the rest.
func (l *Limit) Use(now float64) (u limits.Use, end float64) {
	e := l.endAt(now)
	u = limits.Use{
		Quota: Whole(l.Quota), Sent: Whole(l.Units), Used: Whole(l.since(e.Lo - l.Window + eps)), Remaining: limits.Unknown,
		Refills: l.Belief.Scores[asWindow] > beliefLead,
	}
	if now <= l.Ends.Hi {
		u.Remaining = Whole(l.Left)
	}
	if l.guesses(now) {
		return u, 0
	}
	return u, e.mid()
}
