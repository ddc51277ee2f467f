package pacer

import (
	"math"
	"time"
)

const (
	firstBackoff = 250 * time.Millisecond // where a refusal says nothing, doubled with each round: less asks too often, more waits in vain
	mostPause    = time.Minute            // that a client waits of its own accord, unless it is shut out: longer leaves a server unused that is well again
	shutOut      = 12                     // rounds of refusals in a row with a pause of a minute at most, some seven minutes; then pauses double, up to 16: fewer leave a server unused that is well again, more keep a block alive that each request renews
	rounding     = time.Second            // of times that are told: clients told the same come back spread over it, and it is the most that times are too early

	slackStep = 250 * time.Millisecond // by which times are taken to be too early at least: smaller steps are refused more often
	slackKept = 0.995                  // of it per success: less forgets sooner, and is refused again
)

// A gate keeps everything of a partition from the wire until a time, but for the probes
// of new routes. A refusal that names the policies that were violated, or
// limits that are used up and do not apply to some route, holds only what uses these,
// see past.held.
//
// Say a refusal comes at 10 s with Retry-After: 5. Then the gate opens at 15 s, and the
// client comes back at some time in the first interval after that. Refused again at 15.1 s, the
// server has told its time 0.1 s too early, and from then on 0.35 s are added.
type gate struct {
	until  Instant
	told   Instant       // its end as the server told it, or as a backoff chose it
	slack  time.Duration // learned: how much later than told a time is taken to be, as the server tells it too early
	since  uint64        // requests sent when it was set: their refusals belong to the same round
	firm   Instant       // until when Retry-After asked for it
	last   Instant       // when it was told, or a second look went
	only   LimitSet      // what the last refusal was about, as far as it is known; empty: everything
	rounds uint8         // refused in a row
	alone  bool          // no pace is known: one in flight until a success gives one
	wins   bool          // it ends before the limits that are used up say, see precedes
	looks  looks
}

// end is when the gate opens.
func (g *gate) end() Instant {
	if g == nil {
		return 0
	}
	return g.until
}

func (g *gate) isAlone() bool { return g != nil && g.alone }

// refused takes in a refusal: everything that it is about waits, and comes back spread. reset is as learn found it.
func (p *Partition) refused(now Instant, t *Ticket, a *Answer, reset time.Duration) {
	g := made(&p.gate)
	gap := min(p.interval(now, p.applying(t)), mostPause)
	if t.probe {
		gap = 0 // which pace applies to it is not known
	}
	isFirst := t.seq > g.since
	wait := p.wait(a, reset, gap, isFirst)
	crowded := p.crowded(t, a, isFirst)
	if isFirst && !t.probe && !t.look { // who probes knows that it may be refused
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

// entry is the time over which clients of these limits come back, at most gap.
func (p *Partition) entry(limits LimitSet, gap time.Duration) time.Duration {
	for _, l := range p.each(limits) {
		if !l.refills() {
			gap = min(gap, scale(l.window, l.past().haste.lasts()/2))
		}
	}
	return gap
}

// hold keeps back until a time what a refusal is about. It comes back at another one.
func (p *Partition) hold(now Instant, t *Ticket, a *Answer, until, back Instant) {
	g, firm := p.gate, Instant(0)
	if a.RetryAfter >= 0 {
		firm = until
	}
	violated := p.violated(t, a)
	usedUp := p.those(func(l *limit) bool { return l.seq == t.seq && l.remaining == 0 }) // as this refusal tells
	switch about := violated | usedUp; {
	case g.until <= now || about == 0:
		g.only = about
	case g.only != 0: // a hold in force stays about what it was about, too
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

// wait is how long a refusal says to wait: Retry-After, else the reset of the
// limits that are used up, else a backoff that grows with each round. Two fifths of that it is
// at least, or a server that says "now" for ever would be believed for ever.
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

// backoff is how long to wait where nothing is told. Where a pace was found and the server saves up nothing, a
// refusal may come of others that were a little earlier. So the first backoff is no longer than the gap of that pace.
func (p *Partition) backoff(gap time.Duration) time.Duration {
	g, rounds := p.gate, p.gate.rounds
	if t := as(p.trial); t.start > 0 && !t.saves && gap > 0 {
		if rounds == 0 {
			return min(gap, firstBackoff)
		}
		rounds--
	}
	pause := min(firstBackoff<<min(rounds, 8), mostPause)
	if g.rounds > shutOut {
		pause <<= min(g.rounds-shutOut, 4)
	}
	return pause
}

// crowded takes in a refusal that has to do with the requests in flight, or may have. It
// reports whether they explain it.
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

// newRound takes in what only the first refusal of a round tells.
func (p *Partition) newRound(now Instant, t *Ticket, a *Answer, reset time.Duration, crowded bool) {
	g := p.gate
	if g.rounds < math.MaxUint8 {
		g.rounds++
	}
	if crowded {
		return // how long to wait is a guess of the server's, and no rate is too high
	}
	opened, isRushed := g.told, false // when it was allowed again, and whether others were quicker
	if p.trying().chosen {
		opened = 0 // that was only tried
	}
	explained := a.usedUp() || len(a.Violated) > 0
	for i, l := range p.each(p.live) {
		c := t.of(l, i)
		isRushed = isRushed || l.past().haste.early > 0 && !l.refills()
		switch {
		case t.uses&placeOf(i) != 0 && l.ends.told.known() && now > l.ends.told.hi && !l.refills():
			opened = max(opened, l.ends.told.hi) // it was believed that another window had begun
		case l.seq != t.seq || l.remaining == Unknown:
		case l.remaining == 0:
			if l.estimate == nil {
				l.share.refused()
			}
			explained = explained && (l.source == fromServer || p.trying().n >= trialLeast) // its pace is a guess, and may be a bad one
		case c != nil && l.remaining < c.cost:
			explained = true // there was too little for a request of that cost
		}
	}
	if opened > 0 && !isRushed {
		g.tooEarly(t.sent.Sub(opened))
	}
	p.trying().refused(now, explained, g.rounds > 1 && a.RetryAfter >= 0, max(a.RetryAfter, reset))
}

// holdLimits holds what uses these limits until a time, as Retry-After asked until firm.
func (p *Partition) holdLimits(limits LimitSet, until, firm Instant) {
	for _, l := range p.each(limits) {
		k := made(&l.kept)
		k.held, k.firm = max(k.held, until), max(k.firm, firm)
	}
}

// comeBack has the slots of these limits begin at a time.
func (p *Partition) comeBack(limits LimitSet, at Instant) {
	for _, l := range p.each(limits) {
		l.arrival.grant(at, 0)
	}
}

// violated is the set of the limits of the policies that a request has violated, as
// the refusal says. It is empty if it does not say, or one policy is not known, or the
// request was thought to use nothing of it: what it limits then is not known, either.
func (p *Partition) violated(t *Ticket, a *Answer) LimitSet {
	var all LimitSet
	for _, policy := range a.Violated {
		policy = ShortName(policy)
		limits := p.those(func(l *limit) bool { return policy != "" && l.policyName() == policy })
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

// precedes reports whether the hold's end counts rather than a later one that the limit
// at that place has told. For the next attempt Retry-After takes precedence (draft-10
// §6.3), until the limit is told of anew.
func (g *gate) precedes(l *limit, i int) bool {
	return g != nil && g.wins && l.seq <= g.since && (g.only == 0 || g.only&placeOf(i) != 0)
}

// tooEarly takes in that a request was refused so long after a time at which it was
// believed not to be.
func (g *gate) tooEarly(late time.Duration) {
	if late >= 0 && late < rounding {
		g.slack = min(rounding, max(2*g.slack, late+slackStep))
	}
}

// succeeded takes in a success. Only one of a request that was sent after the last
// refusal, and used what this was about, counts.
func (g *gate) succeeded(t *Ticket) {
	if g == nil || t.seq <= g.since || g.only != 0 && g.only&t.uses == 0 {
		return
	}
	g.rounds, g.alone, g.looks = 0, false, 0
	g.slack = scale(g.slack, slackKept)
}
