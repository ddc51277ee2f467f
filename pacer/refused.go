package pacer

import (
	"slices"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer/internal/refusal"
)

// A hold is a refusal.Hold on everything, with what is known of the last refusals.
type hold struct {
	refusal.Hold

	rounds  refusal.Rounds
	about   LimitSet // the limits that the last refusal was about; empty: unknown, so everything
	others  bool     // requests that it was not about have succeeded since
	since   uint64   // requests sent when the last refusal came: a success of one of them proves nothing
	round   uint64   // requests sent when the round of refusals began
	back    float64  // when the first request after it may go
	doubted float64  // the last refusal that the reported limits do not explain
}

// begins reports whether a refusal of the request begins a new round.
func (h *hold) begins(t *Ticket) bool { return t.seq > h.round && !t.held }

// doubtFades is how long, in seconds, one such refusal counts. Longer: stray refusals slow the client down. Shorter: a
// limit that is not reported is found late.
const doubtFades = 600.0

// refused handles a refusal: requests that it is about are held, and come back at random times. reset is the result of
// learn.
func (p *Partition) refused(now float64, t *Ticket, a *Answer, reset float64) {
	h := &p.hold
	isFirst, reported := h.begins(t), reset
	if a.RetryAfter >= 0 {
		reported = a.RetryAfter.Seconds()
	}
	about := p.violated(t, a)
	isNamed := about != 0
	if !isNamed {
		about = p.usedUp(t)
	}
	if h.others && !h.about.Meets(t.uses|about) { // the rounds until now were of other requests
		h.rounds.End()
	}
	h.about, h.others = about, false
	wait := h.rounds.Wait(reported, isFirst)
	switch {
	case a.Overloaded:
		p.places.Overloaded(now, t.beside, isFirst)
	case !p.paced(t):
		p.places.Restart()
	}
	if isFirst {
		h.round = p.seq
		// A refusal of a second look proves nothing, and after a 503 the rate was not too high.
		if !t.look && !a.Overloaded && !p.explains(now, t, a) {
			p.tryRate(now, t)
		}
	}
	h.since = p.seq
	until, spread := now+wait, min(1, wait/2)
	if reported >= 0 {
		spread = max(spread, p.spread(now, wait, p.applying(t)))
	}
	back := until + spread*p.cfg.chance()
	if !isFirst { // the latest time of a round counts
		back = max(back, h.back)
	}
	h.back = back
	p.holdAbout(now, a, until, back, reported >= 0, !isNamed && a.RetryAfter >= 0 && reported+1 < reset)
}

// spread returns within which time the client comes back after a hold whose end was told: soon if it is alone. Clients
// that share a limit come within an interval of each.
func (p *Partition) spread(now, wait float64, limits LimitSet) float64 {
	gap, isAlone := 0.0, true
	for _, l := range p.each(limits) {
		gap = max(gap, l.Usual(now, l.usualCost()))
		isAlone = isAlone && l.IsAlone()
	}
	if gap == 0 {
		gap = p.trial.Gap(now)
	}
	if isAlone {
		gap = min(gap, max(1, wait/10))
	}
	return min(gap, 60)
}

// explains reports whether the limits that are known explain a refusal. They learn from it.
func (p *Partition) explains(now float64, t *Ticket, a *Answer) bool {
	isExplained := len(a.Violated) > 0 || slices.ContainsFunc(a.Limits, func(l limits.Reported) bool { return l.Remaining == 0 })
	for i, l := range p.each(p.live) {
		if l.seq == t.seq && l.Left == 0 && l.Cost == nil {
			l.Refused()
		}
		if c := t.of(l, i); c != nil && l.seq == t.seq && l.Left < c.cost && !l.Blind {
			isExplained = true // too little remained for this cost
		}
		if t.uses.Meets(placeOf(i)) && l.seq < t.seq && l.TooShort(now) {
			isExplained = true
		}
	}
	return isExplained
}

// tryRate begins or ends a trial after a refusal that nothing explains.
func (p *Partition) tryRate(now float64, t *Ticket) {
	isFirst := p.hold.doubted == 0 || now-p.hold.doubted > doubtFades
	p.hold.doubted = now
	if isFirst && p.trial.Gap(now) == 0 && p.paced(t) { // one may be a mistake
		return
	}
	p.trial.Refused(now)
}

// holdAbout holds the requests that a refusal is about until a time: those that use the violated policies, or else the
// limits that it reports to be used up, or else all. Their first slot is at back. hasTime: the server said when.
func (p *Partition) holdAbout(now float64, a *Answer, until, back float64, hasTime, isEarly bool) {
	h, firm := &p.hold, 0.0
	if a.RetryAfter >= 0 {
		firm = until
	}
	for _, l := range p.each(h.about) {
		l.earlyRetry = isEarly
		if until > l.Hold.Until {
			l.ComeBack(back, hasTime)
		}
		l.Hold.Extend(until, firm)
	}
	if h.about != 0 {
		return
	}
	if until > h.Until {
		p.comeBack(back, hasTime)
	}
	h.Extend(until, firm)
	h.At = now
}

// usedUp returns the limits of a refused request that its response reports to be used up. Of limits that were known when
// it was sent, only those that it was charged for delay it.
func (p *Partition) usedUp(t *Ticket) (all LimitSet) {
	for i, l := range p.each(p.live) {
		isNew := t.seq <= l.born && (l.Unit > 0 || t.cost > 0)
		if l.seq == t.seq && l.Left == 0 && (isNew || t.of(l, i) != nil) {
			all |= placeOf(i)
		}
	}
	return all
}

// comeBack moves the first slot of all requests to a time.
func (p *Partition) comeBack(at float64, hasTime bool) {
	p.line.At = max(p.line.At, at)
	for _, l := range p.each(p.live) {
		l.ComeBack(at, hasTime)
	}
}

// violated returns the limits of the policies that a refusal names. It is empty if there are none, if a policy is
// unknown, or if the request was not charged for it. In the last two cases it is unknown which requests the refusal is
// about.
func (p *Partition) violated(t *Ticket, a *Answer) (all LimitSet) {
	for _, policy := range a.Violated {
		isCharged := false
		for i, l := range p.each(p.live) {
			if policy != "" && l.Name.Policy == policy {
				c := t.of(l, i)
				isCharged = isCharged || t.seq <= l.born || c != nil && c.cost > 0
				all |= placeOf(i)
			}
		}
		if !isCharged {
			return 0
		}
	}
	return all
}
