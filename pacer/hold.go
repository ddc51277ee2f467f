package pacer

import (
	"math"
	"slices"
	"time"

	"github.com/cenkalti/backoff/v4"
)

const (
	firstBackoff = 500 * time.Millisecond // where a refusal says nothing
	mostBackoff  = time.Minute
	leastHold    = 100 * time.Millisecond // doubled with every refused round, whatever the server says
	mostPause    = time.Minute            // that an interval adds to what the server says
	mostRounds   = 10                     // of doubling leastHold
	mostSpread   = time.Second            // over which clients come back after a hold, unless the pace is slower

	mostSlack = time.Second            // servers cut off whole seconds and floor epochs, not more
	slackStep = 250 * time.Millisecond // at least, by which a time that was told too early is corrected
	slackKept = 0.995                  // per success: forgotten slowly
)

// hold keeps everything of a partition from the wire until a time, but for the probes
// of new routes (probe.go). A refusal that names the policies that were violated, or
// limits that are used up and do not apply to some route, holds only what uses these,
// see limit.held.
type hold struct {
	until Instant
	free  Instant  // its end as the server told it, or as a backoff chose it
	since uint64   // requests sent when it was set: their refusals belong to the same round
	only  LimitSet // what the last refusal was about, as far as it is known; empty: everything
	round uint32   // requests sent between the round before and since

	silent *backoff.ExponentialBackOff // only while a server refuses without a word

	late   int32 // nanoseconds, learned: how much too early the server tells times
	rounds uint8 // refused in a row
	alone  bool  // no pace is known: one in flight until a success gives one
	wins   bool  // it ends before the limits that are used up say, see precedes
}

// refused takes in a refusal: everything that it is about waits, and comes back spread.
func (p *Partition) refused(now Instant, t *Ticket, a *Answer, u float64) {
	h := &p.hold
	gap := p.interval(p.applying(t))
	if t.probe {
		gap = 0 // which pace applies to it is not known
	}
	isFirst := t.seq > h.since
	wait := p.wait(a, gap, isFirst)
	crowded := p.crowded(t, a, isFirst)
	if isFirst {
		h.round = 0
	}
	h.round += uint32(min(p.seq-h.since, math.MaxUint16))
	if isFirst && !t.probe { // who probes knows that it may be refused
		p.newRound(now, t, a, crowded)
	}
	least := max(min(gap, mostPause), leastHold<<h.rounds)
	h.free = now.Add(wait)
	h.since = p.seq
	h.alone = gap == 0 && !a.Overloaded && !t.probe
	h.wins = a.RetryAfter >= 0 && a.RetryAfter+time.Second < a.reset()
	until := now.Add(max(wait, least)).Add(h.slack())
	back := until.Add(scale(p.spread(p.applying(t), gap, wait), u))
	violated, usedUp := p.violated(t, a), p.toldUsedUp(t)
	h.about(violated|usedUp, h.until > now)
	switch {
	case violated != 0:
		h.wins = false
		p.holdLimits(violated, back, back)
	case usedUp != 0 && p.sparedTogether(usedUp):
		p.holdLimits(usedUp, until, back)
	case until > h.until:
		h.until, p.base, p.owed = until, back, 0
		p.comeBack(p.live, back)
	}
}

// crowded takes in a refusal that has to do with the requests in flight, or may have. It
// reports whether they explain it.
func (p *Partition) crowded(t *Ticket, a *Answer, newRound bool) bool {
	switch {
	case a.Overloaded:
		p.places.overloaded(t.beside, newRound)
		return true
	case t.probe, a.usedUp(), len(a.Violated) > 0:
		return false
	default:
		return p.places.suspected(t.beside, newRound)
	}
}

// holdLimits holds what uses these limits until a time.
func (p *Partition) holdLimits(limits LimitSet, until, back Instant) {
	for s := limits; s != 0; s = s.rest() {
		l := &p.limits[s.first()]
		l.held = max(l.held, until)
	}
	p.comeBack(limits, back)
}

// comeBack has the pace lines of these limits begin at a time.
func (p *Partition) comeBack(limits LimitSet, at Instant) {
	for s := limits; s != 0; s = s.rest() {
		l := &p.limits[s.first()]
		if p.cfg.Measured {
			l.average(at, 0)
			continue
		}
		l.base, l.owed = at, 0
	}
}

// violated is the set of the limits of the policies that a request has violated, as
// the refusal says. It is empty if it does not say, or one policy is not known, or the
// request was thought to use nothing of it: what it limits then is not known, either.
func (p *Partition) violated(t *Ticket, a *Answer) LimitSet {
	var all LimitSet
	for _, policy := range a.Violated {
		limits, charged := p.policyLimits(policy), false
		for s := limits; s != 0; s = s.rest() {
			cost, _, _ := t.charged(&p.limits[s.first()], s.first())
			charged = charged || cost > 0
		}
		if !charged {
			return 0
		}
		all |= limits
	}
	return all
}

// policyLimits is the set of the limits of a policy.
func (p *Partition) policyLimits(policy string) LimitSet {
	return p.those(func(l *limit) bool { return policy != "" && l.policyName() == policy })
}

// toldUsedUp is the set of the limits that the answer to a request has just told to be
// used up.
func (p *Partition) toldUsedUp(t *Ticket) LimitSet {
	return p.those(func(l *limit) bool { return l.seq == t.seq && l.remaining == 0 })
}

// spread is the time over which clients of these limits come back after such a wait: a
// gap, or less where others are quick.
func (p *Partition) spread(limits LimitSet, gap, wait time.Duration) time.Duration {
	least := min(mostSpread, wait/2)
	for s := limits; s != 0; s = s.rest() {
		if l := &p.limits[s.first()]; l.lasting() < 1 {
			gap, least = min(gap, l.perRequest(l.entrance())), min(least, scale(mostSpread, l.lasting()))
		}
	}
	return max(min(gap, mostPause), least)
}

// newRound takes in what only the first refusal of a round tells.
func (p *Partition) newRound(now Instant, t *Ticket, a *Answer, crowded bool) {
	h := &p.hold
	h.rounds = min(h.rounds+1, mostRounds)
	if crowded {
		return // how long to wait is a guess of the server's, and no rate is too high
	}
	early := h.free > 0
	explained := a.usedUp() || len(a.Violated) > 0
	for s := p.live; s != 0; s = s.rest() {
		l := &p.limits[s.first()]
		cost, _, _ := t.charged(l, s.first())
		switch {
		case l.seq != t.seq || l.remaining == Unknown:
		case l.remaining == 0:
			l.refused(a.RetryAfter)
			early = early && !l.refill.dry // it was not told too early, others were quicker
			if l.windFrom != told && p.trial.n < trialFew && !l.refill.dry {
				explained = false // its pace is a guess, and a bad one
			}
		case l.remaining < cost:
			explained = true // there was too little for a request of that cost
		}
	}
	if early {
		h.early(t.sent.Sub(h.free))
	}
	p.trial.refused(now, explained)
}

// about notes which limits a refusal is about, the empty set for everything; a hold
// that is inForce stays about what it was about, too.
func (h *hold) about(limits LimitSet, inForce bool) {
	switch {
	case !inForce:
		h.only = limits
	case limits == 0 || h.only == 0:
		h.only = 0
	default:
		h.only |= limits
	}
}

// precedes reports whether the hold's end counts rather than a later one that the limit
// at that place has told. For the next attempt Retry-After takes precedence (draft-10
// §6.3), until the limit is told of anew.
func (h *hold) precedes(l *limit, i int) bool {
	return h.wins && l.seq <= h.since && (h.only == 0 || h.only&placeOf(i) != 0)
}

// slack is by how much later than told a time is taken to be.
func (h *hold) slack() time.Duration { return time.Duration(h.late) }

// early takes in that a request was refused so long after a time at which it was
// believed not to be: the server had said so, or a backoff chose it. In a fleet
// that is told nothing, this slack keeps the clients apart.
func (h *hold) early(late time.Duration) {
	if late >= 0 && late < mostSlack {
		h.late = int32(min(mostSlack, max(2*h.slack(), late+slackStep)))
	}
}

// wait is how long a refusal says to wait: Retry-After, else the reset of a
// limit that is used up, else a backoff that grows with each silent round.
func (p *Partition) wait(a *Answer, gap time.Duration, newRound bool) time.Duration {
	if a.RetryAfter >= 0 {
		return a.RetryAfter
	}
	switch reset := a.reset(); {
	case reset >= 0:
		return reset
	case !newRound:
		return 0
	case p.hold.silent == nil:
		p.hold.silent = newBackoff()
	}
	return max(p.hold.silent.NextBackOff(), gap)
}

// reset is when the limits that are used up will all have units again, as far as
// the answer tells; else Unknown.
func (a *Answer) reset() time.Duration {
	var reset time.Duration = Unknown
	for i := range a.Limits {
		if l := &a.Limits[i]; l.Remaining == 0 && l.Unit != ConcurrentRequests {
			reset = max(reset, l.Reset)
		}
	}
	return reset
}

// usedUp reports whether an answer says that a limit is used up.
func (a *Answer) usedUp() bool {
	return slices.ContainsFunc(a.Limits, func(l Limit) bool { return l.Remaining == 0 })
}

// succeeded takes in a success. Only one of a request that was sent after the last
// refusal, and used what this was about, counts. One that was sent beside those refused
// shows that the round was not all in vain.
func (h *hold) succeeded(t *Ticket) {
	if t.seq <= h.since && h.since-t.seq < uint64(h.round) {
		h.rounds = min(h.rounds, 1)
	}
	if t.seq <= h.since || h.only != 0 && h.only&t.uses == 0 {
		return
	}
	h.rounds, h.alone, h.silent = 0, false, nil
	if h.late > 0 {
		h.late = int32(scale(h.slack(), slackKept))
	}
}

// newBackoff doubles without chance, clock or end: jitter, time and giving up
// are the caller's.
func newBackoff() *backoff.ExponentialBackOff {
	return backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(firstBackoff),
		backoff.WithMaxInterval(mostBackoff),
		backoff.WithMultiplier(2),
		backoff.WithRandomizationFactor(0),
		backoff.WithMaxElapsedTime(0),
		backoff.WithClockProvider(stopped{}),
	)
}

// stopped is a clock at a standstill.
type stopped struct{}

func (stopped) Now() time.Time { return time.Time{} }
