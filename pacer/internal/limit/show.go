package limit

import (
	"math"

	"github.com/headway-go/headway/limits"
)

// NoBurst says that there is no first burst: the next request goes one interval after now.
func (l *Limit) NoBurst(now float64) {
	l.Granted = true
	l.Line.Take(now, now, 0, 0, 1, 1)
}

// Unserved notes units that the server has not counted, because it refused them.
func (l *Limit) Unserved(n float64) {
	l.Mark += n
	l.forget(n)
}

// Refund takes back n units of a charge: of a request that was never sent or has not used the limit, or less than it used.
// A negative n charges more.
func (l *Limit) Refund(now, units, n float64) {
	if n < 0 {
		l.Count(now, -n)
	} else {
		l.Units -= n
		l.forget(n)
	}
	if l.Mark >= units {
		l.Mark -= n
	}
	l.Line.Refund(now, n, l.Slot(now, 1).Interval)
}

// IsPaced reports whether the limit gives a pace.
func (l *Limit) IsPaced() bool { return l.Quota > 0 && l.Window > 0 }

// Usual returns the interval after a request of that cost, whatever is left; 0: unknown.
func (l *Limit) Usual(now, cost float64) float64 {
	n := l.nominal()
	if n == 0 {
		return 0
	}
	if p := l.Allotted(now); p == nil || p.Share > 0 {
		n *= l.Portion(now)
	}
	return min(cost/n, l.longest(now))
}

// besideOthers makes shares smaller in the long run: of two equal clients one has a share of 0.54 ((1/2)^0.9), and leaves a
// reserve for the other, so that it gets 0.48 of the quota (0.54^1.15). More: forecasts are too late. Less: too early.
const besideOthers = 0.15

// After returns when so many units have gone, one after the other from a time on: at the pace of the next slot until the
// open window ends, and then at the usual one. A nearly used-up window has a long interval now, but not all of them need it.
func (l *Limit) After(now, from, units float64, next *Slot) float64 {
	end := l.Ends.Hi
	if end <= now || l.candidate(now) != asWindow {
		end = now + l.Window
	}
	soon, usual := max(end-from, 0)/next.Interval, l.Usual(now, 1)
	if next.Interval <= 0 || usual <= 0 || units <= soon {
		return from + units*next.Interval
	}
	if l.Allotted(now) == nil {
		usual /= math.Pow(l.Portion(now), besideOthers)
	}
	return max(end, from) + (units-soon)*usual
}

// Refused learns from a refusal with r = 0.
func (l *Limit) Refused() {
	if l.Part == nil && !l.Blind && l.Share.of() < 0.95 {
		l.Share.Own *= refusalShare
		l.Share.settle()
	}
}

// ComeBack moves the first slot after a hold to a time: that one if the server has told it, else the pace goes on, which may
// change until then.
func (l *Limit) ComeBack(at float64, hasTime bool) {
	l.Granted = true // a refused client gets no first burst
	if hasTime || at >= l.Slot(l.Seen, 1).At {
		l.Line.Grant(at)
	}
}

// IsAlone reports whether no other client is known to use the limit.
func (l *Limit) IsAlone() bool { return l.Portion(l.Seen) == 1 }

// IsTrusted reports whether a wait until a time needs no check: it is no longer than a window whose length is reported, whose
// end was seen, or which nothing contradicts yet. A mistake of hours would stop requests for too long, so it is no longer
// than a guess either.
func (l *Limit) IsTrusted(until float64) bool {
	sure := l.Window
	if l.Length != nil && (l.Length.Confirmed > 0 || l.Belief.Believed != asWindow) {
		sure = l.Length.Confirmed
	}
	return until <= l.Seen+min(sure, mostGuess)+3*rounding
}

// NeedsReading reports whether only a response can show that there are units.
func (l *Limit) NeedsReading(now float64) bool {
	return !l.Blind && l.isDoubtful() && l.Belief.Believed == asWindow && l.Ends.known() && now > l.Ends.Hi
}

// isDoubtful reports whether a whole quota may not come back at the end of the window: much of it is used, and no window
// has ended as expected. It may be a counter, or longer. All members of a fleet would wait at once for what one could find
// out, so they do not doubt.
func (l *Limit) isDoubtful() bool {
	m := l.Length
	if m != nil && !m.HasResets {
		return m.Confirmed == 0
	}
	return !l.Proven && l.Part == nil && l.Left-l.own() < l.Quota/2
}

// Relearn forgets what was learned from wrong readings.
func (l *Limit) Relearn() { l.Belief, l.Share = belief{}, share{} }

// Fall returns by how much r falls to left, and how much may have come back.
func (l *Limit) Fall(now, left float64) (fall, back float64) {
	if l.candidate(now) != asWindow {
		back = max(min(l.nominal()*(now-l.Seen), l.Quota-left), 0)
	}
	return min(l.Left-left, l.Quota), back
}

// candidate returns what the limit is taken for: the believed candidate, or what a fleet has found out. All members of a
// fleet do the same.
func (l *Limit) candidate(now float64) candidate {
	p := l.Allotted(now)
	switch {
	case p == nil:
		return l.Belief.Believed
	case p.Refills:
		return asBucket
	}
	return asWindow
}

// Remaining returns how many units are left now; −1: unknown.
func (l *Limit) Remaining(now float64) float64 {
	switch e := l.endAt(now); {
	case l.Left < 0:
		return -1
	case !l.Refills(now) && now > l.Ends.Hi && e.known() && l.Window > 0:
		return max(0, l.Quota-l.since(e.Hi-l.Window))
	}
	return max(0, l.Left-l.own())
}

// LatestEnd returns the latest time at which the window that is open ends; 0: unknown.
func (l *Limit) LatestEnd(now float64) float64 {
	if e := l.endAt(now); e.known() || l.Window <= 0 || l.Left < 0 {
		return e.Hi
	}
	return l.Seen + l.Window
}

// Refills reports whether units come back bit by bit, as far as is known.
func (l *Limit) Refills(now float64) bool { return l.candidate(now) != asWindow }

// Whole rounds units down; negative: unknown.
func Whole(units float64) int64 {
	if units >= 0 {
		return int64(min(units+1e-6, math.MaxInt64/2))
	}
	return limits.Unknown
}
