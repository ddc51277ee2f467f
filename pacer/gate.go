package pacer

import (
	"math"
	"time"
)

// This file decides what a refusal holds, for how long, and how the client comes back.

const (
	firstBackoff  = 250 * time.Millisecond // hold after a refusal that reports no time; each round doubles it. Shorter: asks too often. Longer: waits in vain
	mostPause     = time.Minute            // longest backoff, unless locked out. Longer: a server that has recovered stays unused
	lockoutRounds = 12                     // more rounds of refusals in a row, some six minutes with these backoffs, are a lockout: then backoffs double up to 16 minutes. Fewer: a server that has recovered stays unused. More: prolongs a block that each request renews
	rounding      = time.Second            // servers round times to it: clients with the same reset come back spread over it, and no time is later by more

	slackStep  = 250 * time.Millisecond // least margin for times that are too early. Less: more refusals
	slackDecay = 0.995                  // part of the margin that a success leaves. Less: forgets the margin, and is refused again
)

// A gate is closed by a refusal, and opens at the end of the hold. Most refusals hold all requests of the
// partition, except probes of new routes. Two kinds hold only the requests of some limits, see past.held: a refusal
// that names the violated policies, and one that reports used-up limits which some route does not use.
//
// An example: a refusal comes at 10 s with Retry-After: 5. The gate opens at 15 s, and the client comes back at a
// random time within one interval after that, or within a second if that is longer. If it is refused again at
// 15.1 s, the server's time was 0.1 s too early, and from then on 0.35 s are added.
type gate struct {
	until  Instant
	told   Instant       // the end as the server reported it, or by the backoff
	slack  time.Duration // learned margin: how much the server's times are too early
	since  uint64        // requests sent when the gate closed: their refusals belong to the same round
	firm   Instant       // the end of what Retry-After asked for
	last   Instant       // when the hold was last reported, or a second look went
	only   LimitSet      // the limits that the last refusal was about; empty: unknown, so everything
	rounds uint8         // of refusals in a row
	alone  bool          // no pace is known: one request in flight until a success gives one
	wins   bool          // the hold ends before the resets of used-up limits, see precedes
	looks  looks
}

// end returns when the gate opens.
func (g *gate) end() Instant {
	if g == nil {
		return 0
	}
	return g.until
}

func (g *gate) isAlone() bool { return g != nil && g.alone }

// refused handles a refusal: requests that it is about are held, and come back at random times. reset is the
// result of learn.
func (p *Partition) refused(now Instant, t *Ticket, a *Answer, reset time.Duration) {
	g := ensure(&p.gate)
	gap := min(p.interval(now, p.applying(t)), mostPause)
	if t.probe {
		gap = 0 // the route's limits are unknown
	}
	isFirst := t.seq > g.since
	wait := p.wait(a, reset, gap, isFirst)
	crowded := p.crowded(t, a, isFirst)
	if isFirst && !t.probe && !t.look { // a refusal of a probe or a second look proves nothing
		p.newRound(now, t, a, reset, crowded)
	}
	g.told, g.since = now.Add(wait), p.seq
	g.alone = gap == 0 && !a.Overloaded && !t.probe
	g.wins = a.RetryAfter >= 0 && a.RetryAfter+time.Second < reset
	entry := p.entry(p.applying(t), gap)
	until := now.Add(max(wait, entry)).Add(g.slack)
	back := until.Add(scale(max(entry, min(rounding, wait/2)), p.cfg.chance()))
	p.hold(now, t, a, until, back)
}

// entry returns the time within which clients of these limits come back, at most gap.
func (p *Partition) entry(limits LimitSet, gap time.Duration) time.Duration {
	for _, l := range p.each(limits) {
		if !l.refills() {
			gap = min(gap, scale(l.window, l.past().haste.lasts()/2))
		}
	}
	return gap
}

// hold holds the requests that a refusal is about until a time. Their first slot is at back.
func (p *Partition) hold(now Instant, t *Ticket, a *Answer, until, back Instant) {
	g, firm := p.gate, Instant(0)
	if a.RetryAfter >= 0 {
		firm = until
	}
	violated := p.violated(t, a)
	usedUp := p.limitsWhere(func(l *limit) bool { return l.seq == t.seq && l.remaining == 0 }) // by this refusal
	switch about := violated | usedUp; {
	case g.until <= now || about == 0:
		g.only = about
	case g.only != 0: // the earlier hold goes on, so its limits stay
		g.only |= about
	}
	switch {
	case violated != 0:
		g.wins = false
		p.holdLimits(violated, back, firm)
		p.comeBack(violated, back)
	case usedUp != 0 && usedUp&^p.divided() == 0:
		p.holdLimits(usedUp, until, firm)
		p.comeBack(usedUp, back)
	default:
		if g.firm, g.last = max(g.firm, firm), now; until > g.until {
			g.until = until
			p.arrival.grant(back, 0)
			p.comeBack(p.live, back)
		}
	}
}

// wait returns how long a refusal holds: Retry-After, else the reset of used-up limits, else the backoff, at least
// gap. A reported time counts as two fifths of the backoff or more, because a server may report zero every time.
func (p *Partition) wait(a *Answer, reset, gap time.Duration, isFirst bool) time.Duration {
	told, backoff := max(a.RetryAfter, Unknown), time.Duration(0)
	if told < 0 {
		told = reset
	}
	if isFirst {
		backoff = p.backoff(gap)
	}
	switch {
	case told >= 0:
		return max(told, 2*min(backoff, mostPause)/5)
	case isFirst:
		return max(backoff, gap)
	}
	return 0
}

// backoff returns the hold if none is reported. At a server that grants no burst, another client's request
// may have caused the refusal. So once a rate is known there, the first backoff is one interval, see wait.
func (p *Partition) backoff(gap time.Duration) time.Duration {
	g, rounds := p.gate, p.gate.rounds
	if t := valueOf(p.trial); t.start > 0 && !t.isExact && gap > 0 {
		if rounds == 0 {
			return min(gap, firstBackoff)
		}
		rounds--
	}
	pause := min(firstBackoff<<min(rounds, 8), mostPause)
	if g.rounds > lockoutRounds {
		pause <<= min(g.rounds-lockoutRounds, 4)
	}
	return pause
}

// crowded updates the places if the number in flight may have caused a refusal. It reports whether that
// number certainly did.
func (p *Partition) crowded(t *Ticket, a *Answer, isFirst bool) bool {
	switch {
	case a.Overloaded:
		p.places.overloaded(t.beside, isFirst)
		return true
	case t.probe, a.usedUp(), len(a.Violated) > 0:
		return false
	default:
		return p.places.suspected(t.beside, isFirst)
	}
}

// newRound learns from the first refusal of a round.
func (p *Partition) newRound(now Instant, t *Ticket, a *Answer, reset time.Duration, crowded bool) {
	g := p.gate
	if g.rounds < math.MaxUint8 {
		g.rounds++
	}
	if crowded {
		return // the rate was not too high
	}
	opened, isRushed := g.told, false // opened: when requests were allowed again; isRushed: other clients use up windows early
	if p.trying().chosen {
		opened = 0 // the client chose that time itself
	}
	p.trying().isExact = p.trying().isExact || p.live != 0
	explained := a.usedUp() || len(a.Violated) > 0
	for i, l := range p.each(p.live) {
		c := t.of(l, i)
		isRushed = isRushed || l.past().haste.early > 0 && !l.refills()
		switch {
		case t.uses&placeOf(i) != 0 && l.ends.told.known() && now > l.ends.told.hi && !l.refills():
			opened = max(opened, l.ends.told.hi) // another window should have begun
		case l.seq != t.seq || l.remaining == Unknown:
		case l.remaining == 0:
			if l.estimate == nil {
				l.share.refused()
			}
			explained = explained && (l.source == fromServer || p.trying().n >= trialLeast) // a guessed window may give a wrong pace
		case c != nil && l.remaining < c.cost:
			explained = true // too little remained for this cost
		}
	}
	if opened > 0 && !isRushed {
		g.tooEarly(t.sent.Sub(opened))
	}
	p.trying().refused(now, explained, g.rounds > 1 && a.RetryAfter >= 0, max(a.RetryAfter, reset))
}

// holdLimits holds requests that use these limits until a time. Retry-After asks for a hold until firm.
func (p *Partition) holdLimits(limits LimitSet, until, firm Instant) {
	for _, l := range p.each(limits) {
		k := ensure(&l.kept)
		k.held, k.firm = max(k.held, until), max(k.firm, firm)
	}
}

// comeBack moves the first slot of these limits to a time.
func (p *Partition) comeBack(limits LimitSet, at Instant) {
	for _, l := range p.each(limits) {
		l.arrival.grant(at, 0)
	}
}

// violated returns the limits of the policies that a refusal names. It is empty if there are none, if a
// policy is unknown, or if the request was not charged for it. In the last two cases it is unknown which
// requests the refusal is about.
func (p *Partition) violated(t *Ticket, a *Answer) LimitSet {
	var all LimitSet
	for _, policy := range a.Violated {
		policy = ShortName(policy)
		limits := p.limitsWhere(func(l *limit) bool { return policy != "" && l.policyName() == policy })
		isCharged := false
		for i, l := range p.each(limits) {
			c := t.of(l, i)
			isCharged = isCharged || t.seq <= l.born || c != nil && c.cost > 0
		}
		if !isCharged {
			return 0
		}
		all |= limits
	}
	return all
}

// precedes reports whether the end of the hold replaces a later reset of the limit at place i. Retry-After
// takes precedence for the next attempt (draft-10 §6.3), until the limit is reported again.
func (g *gate) precedes(l *limit, i int) bool {
	return g != nil && g.wins && l.seq <= g.since && (g.only == 0 || g.only&placeOf(i) != 0)
}

// tooEarly learns the margin from a refusal that comes late after a time at which requests should be allowed again.
func (g *gate) tooEarly(late time.Duration) {
	if late >= 0 && late < rounding {
		g.slack = min(rounding, max(2*g.slack, late+slackStep))
	}
}

// succeeded ends the backoff. The success counts only if its request was sent after the last refusal and uses
// a limit that the refusal was about.
func (g *gate) succeeded(t *Ticket) {
	if g == nil || t.seq <= g.since || g.only != 0 && g.only&t.uses == 0 {
		return
	}
	g.rounds, g.alone, g.looks = 0, false, 0
	g.slack = scale(g.slack, slackDecay)
}
