package limit

import "math"

const (
	reserveMost  = 0.8  // times √q: bound of the reserve. More: waits. Less: refusals beside others, whose use varies by about √q
	reservePart  = 0.08 // of the quota: likewise, for small quotas
	fleetReserve = 0.25 // of q/w, which members of a fleet leave where units come back bit by bit. More: a full bucket is used up later. Less: refusals
	blindPart    = 0.4  // of a window: readings that are older say nothing of what is left. More: refusals. Less: others use is seen late
	blindPace    = 0.95 // times q/w where responses come too late to say what is left. More: refusals. Less: units stay unused
)

// reserve returns how many units are left for others where units come back bit by bit. A client alone leaves half a
// unit, because r is rounded down.
func (l *Limit) reserve(s, now float64) float64 {
	switch {
	case s < 1 && !l.isQuiet(now):
		return 0.5 + min(reserveMost*math.Sqrt(l.Quota), reservePart*l.Quota)
	case l.Belief.Believed == asBucket:
		return min(0.5, max(0, (l.holds()-1)/2))
	}
	return 0
}

// A Slot is what a limit requires of a request.
type Slot struct {
	At       float64 // theoretical arrival time
	Opens    float64 // when enough units are there; 0: now
	Interval float64 // to the next one; 0: unknown
	Spare    float64 // units beyond the first one that an idle client may send at once
}

// Slot returns when a request of that cost may go, and changes nothing. A cost of 0 needs no units.
func (l *Limit) Slot(now, cost float64) Slot {
	if !l.IsPaced() {
		next := Slot{At: l.Line.At}
		if l.Left >= 0 && l.Left-l.own() < min(cost, 1) && now < l.Ends.Hi {
			next.Opens = l.Ends.Hi
		}
		return next
	}
	longest := l.longest(now)
	if l.Blind && l.Allotted(now) == nil {
		interval := min(1/(blindPace*l.nominal()*l.Portion(now)), longest)
		return Slot{At: l.Line.Next(interval, longest), Interval: interval}
	}
	s := supply{Limit: l, as: l.candidate(now), mine: l.Allotted(now)}
	s.draw(now)
	next := Slot{Interval: min(s.interval(now), longest), Spare: max(0, s.stock(now)*s.s-1)}
	next.At = l.Line.Next(next.Interval, longest)
	if l.Left >= 0 && cost > 0 {
		next.Opens = s.opens(max(now, next.At), cost)
	}
	return next
}

// interval returns the emission interval. Units that come back during a wait must not shorten it, so where they come
// back bit by bit the pace is that of the last slot.
func (s *supply) interval(now float64) float64 {
	switch {
	case s.Left < 0:
		return 1 / (s.n * s.s)
	case s.as == asWindow:
		return 1 / (s.s * s.pace(max(now, s.opens(now, 1))))
	}
	then := max(min(now, s.Line.At), s.Seen)
	pace := s.pace(then)
	if s.mine != nil {
		pace = max(pace-fleetReserve*s.n, paceLeast*s.n)
	}
	interval := 1 / (s.s * pace)
	if missing := s.reserve(s.s, now) - s.stock(then); missing > 0 {
		interval += missing / s.n
	}
	return interval
}

// Take charges a request that is sent now. burst is the largest burst of an idle client in units, jitter a factor of
// the next interval. It returns own units so far.
func (l *Limit) Take(now, cost, burst, jitter float64, next Slot) float64 {
	tolerance := l.tolerance(now, burst, &next)
	if l.holds() < 2 { // too little for a request that goes early
		jitter = 1 + 0.5*math.Abs(jitter-1)
	}
	opened := next.Opens
	if tolerance > 0 && now-next.At > next.Interval {
		opened = max(opened, l.opened(cost))
	}
	l.Count(now, cost)
	l.Line.Take(now, min(next.At, now+l.Window), opened, tolerance, cost, jitter)
	return l.Units
}

// opened returns when a request could go after the last one, if it had to wait for units. Such a wait is no idle time.
func (l *Limit) opened(cost float64) float64 {
	then := l.Seen
	if last := l.History.last(); last != nil {
		then = max(then, last.Last)
	}
	s := supply{Limit: l, as: l.candidate(then), mine: l.Allotted(then)}
	s.draw(then)
	return s.opens(then, cost)
}

// tolerance returns how much idle time counts: units beyond the first may go at once, if they are there.
func (l *Limit) tolerance(now, burst float64, next *Slot) float64 {
	return next.Interval * min(next.Spare, burst, max(1, burst*l.Portion(now)))
}

// Idle returns since when the client counts as idle, or when its next slot is.
func (l *Limit) Idle(now, burst float64, next *Slot) float64 {
	return max(next.At, now-l.tolerance(now, burst, next))
}

// Grant lets the first burst go: how much depends on who else is there, which the second reading shows. There is none if no
// response reports what is left.
func (l *Limit) Grant(now, burst float64) {
	if p := l.Allotted(now); l.Granted || l.Left < 0 || p != nil && p.Share == 0 {
		return
	}
	l.Granted = true
	next := l.Slot(now, 1)
	l.Line.At = min(l.Line.At, now-l.tolerance(now, burst, &next))
}
