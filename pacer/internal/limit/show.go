package limit

import (
	"unsafe"
)

// Quota returns q; 0 if unknown.
func (l *Limit) Quota() float64 { return l.quota }

// HasQuota reports whether q is unknown or this.
func (l *Limit) HasQuota(q float64) bool { return !l.quotaTold || q == l.quota }

// Window returns w; 0 if unknown.
func (l *Limit) Window() float64 { return l.window }

// Left returns r as last reported; negative if never.
func (l *Limit) Left() float64 { return l.left }

// Units returns the own units in all.
func (l *Limit) Units() float64 { return l.units }

// Mark returns own units up to the last reading.
func (l *Limit) Mark() float64 { return l.mark }

// Unanswered reports whether a request is in flight whose response may report the remaining quota.
func (l *Limit) Unanswered() bool { return l.units > l.mark }

// IsNew reports whether the first burst was not granted yet.
func (l *Limit) IsNew() bool { return !l.granted }

// NoBurst says that there is no first burst: the next request goes one interval after now.
func (l *Limit) NoBurst(now float64) {
	l.granted = true
	l.line.Take(now, now, 0, 0, 1, 1)
}

// Unsure notes units that the server may not have counted.
func (l *Limit) Unsure(n float64) { l.ahead += float32(n) }

// Unserved notes units that the server has not counted, because it refused them.
func (l *Limit) Unserved(n float64) {
	l.mark += n
	l.forget(n)
}

// Refund takes back a charge, of a request that was never sent or has not used the limit.
func (l *Limit) Refund(now, units, n float64) {
	l.units -= n
	l.forget(n)
	if l.mark >= units {
		l.mark -= n
	}
	l.line.Refund(now, n, l.Ask(now, 1).Interval)
}

// Settle takes back units that the last requests were charged, but have not used.
func (l *Limit) Settle(now, n float64) { l.line.Refund(now, n, l.Ask(now, 1).Interval) }

// Usual returns the interval after a request of that cost, whatever is left; 0: unknown.
func (l *Limit) Usual(now, cost float64) float64 {
	n := l.nominal()
	if n == 0 {
		return 0
	}
	if p := l.allotted(now); p == nil || p.Share > 0 {
		n *= l.portion(now)
	}
	return min(cost/n, l.longest(now))
}

// Refused learns from a refusal with r = 0.
func (l *Limit) Refused() {
	if l.part == nil && l.share.of() < 0.95 {
		l.share.cut()
	}
}

// ComeBack moves the first slot after a hold to a time at least.
func (l *Limit) ComeBack(at float64) {
	l.line.Grant(max(l.Ask(l.seen, 1).At, at), 0)
}

// Line moves the next slot to a time.
func (l *Limit) Line(at float64) { l.line.Grant(at, 0) }

// Ended returns when the window of the last reading ended, if it is a window and had ended when a request was sent.
func (l *Limit) Ended(sent float64) float64 {
	if l.belief.believed == asWindow && sent > l.ends.hi {
		return l.ends.hi
	}
	return 0
}

// IsTrusted reports whether a wait until a time needs no check: it is no longer than a window whose length is sure. A
// mistake of hours would stop requests for too long, so it is no longer than a guess either.
func (l *Limit) IsTrusted(until float64) bool {
	sure := l.window
	if l.length != nil {
		sure = l.length.confirmed
	}
	return l.allotted(l.seen) != nil || until <= l.seen+min(sure, mostGuess)+2*rounding
}

// OnlyAnswersTell reports whether only a response can show that there are units.
func (l *Limit) OnlyAnswersTell(now float64) bool {
	return l.length != nil && l.belief.believed == asWindow && l.ends.known() && now > l.ends.hi
}

// Relearn forgets what was learned from wrong readings.
func (l *Limit) Relearn() { l.belief, l.share = belief{}, share{} }

// Sibling returns a limit of the same size of which nothing is known.
func (l *Limit) Sibling(now float64) Limit {
	s := New(now)
	s.quota, s.window, s.quotaTold, s.granted = l.quota, l.window, l.quotaTold, true
	if l.length != nil {
		s.length = &length{}
	}
	return s
}

// Over reports whether every report has expired.
func (l *Limit) Over(now, most float64) bool {
	return now > l.ends.hi && now > l.seen+min(l.window, most)
}

// Fall returns by how much r falls to left, and how much may have come back.
func (l *Limit) Fall(now, left float64) (fall, back float64) {
	if l.candidate(now) != asWindow {
		back = max(min(l.nominal()*(now-l.seen), l.quota-left), 0)
	}
	return min(l.left-left, l.quota), back
}

// candidate returns what the limit is taken for: the believed candidate, or what a fleet has found out. All members of a
// fleet do the same.
func (l *Limit) candidate(now float64) candidate {
	p := l.allotted(now)
	switch {
	case p == nil:
		return l.belief.believed
	case p.Refills:
		return asBucket
	}
	return asWindow
}

// Extra returns the memory of a limit besides its own.
func (l *Limit) Extra() int {
	n := 0
	if l.past != nil {
		n += int(unsafe.Sizeof(past{})) + cap(l.past.history)*int(unsafe.Sizeof(entry{}))
	}
	if l.length != nil {
		n += int(unsafe.Sizeof(length{}))
	}
	if l.part != nil {
		n += int(unsafe.Sizeof(Part{}))
	}
	return n
}

// A View is what is known of a limit, for people to look at.
type View struct {
	Quota, Left     float64 // what is left now; −1: unknown
	EndsBy, Share   float64 // EndsBy: the latest end of the window; 0: unknown
	Refills, Agreed bool    // Agreed: a fleet has allotted a part
}

// Show returns what is known.
func (l *Limit) Show(now float64) View {
	p, e := l.allotted(now), l.endAt(now)
	v := View{
		Quota: l.quota, Left: -1, EndsBy: e.hi, Share: l.portion(now), Refills: l.candidate(now) != asWindow,
		Agreed: p != nil && p.Share > 0,
	}
	if l.quota == 0 && !l.quotaTold {
		v.Quota = -1
	}
	switch {
	case l.left < 0:
		return v
	case !v.Refills && now > l.ends.hi && e.known() && l.window > 0:
		v.Left = max(0, l.quota-l.since(e.hi-l.window))
	default:
		v.Left = max(0, l.left-l.own())
	}
	if !e.known() && l.window > 0 {
		v.EndsBy = l.seen + l.window
	}
	return v
}
