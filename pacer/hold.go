package pacer

import (
	"slices"
	"strings"
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

// hold keeps everything of a partition from the wire until a time. A refusal that
// names the policies that were violated holds only what uses them, see limit.held.
type hold struct {
	until  Instant
	free   Instant // its end as the server told it, or as a backoff chose it
	since  uint64  // requests sent when it was set: their refusals belong to the same round
	policy string

	silent *backoff.ExponentialBackOff // only while a server refuses without a word

	late   int32 // nanoseconds, learned: how much too early the server tells times
	rounds uint8 // refused in a row
	alone  bool  // no pace is known: one in flight until a success gives one
	wins   bool  // it ends before the limits that are used up say: Retry-After takes precedence for the next attempt (draft-10 §6.3)
}

// refused takes in a refusal: everything waits, and comes back spread.
func (p *Partition) refused(now Instant, t *Ticket, a *Answer, u float64) {
	h := &p.hold
	gap := p.interval()
	wait := p.wait(a, gap, t.seq > h.since)
	if a.Overloaded {
		p.places.overloaded(t.beside, t.seq > h.since)
	}
	if t.seq > h.since {
		p.newRound(now, t, a)
	}
	least := max(min(gap, mostPause), leastHold<<h.rounds)
	h.free = now.Add(wait)
	h.since = p.seq
	h.alone = gap == 0 && !a.Overloaded
	h.wins = a.RetryAfter >= 0 && a.RetryAfter+time.Second < a.reset()
	until := now.Add(max(wait, least)).Add(h.slack())
	back := until.Add(scale(max(min(gap, mostPause), min(mostSpread, wait/2)), u))
	switch {
	case p.holdOnly(t, a.Violated, back):
		h.wins = false
	case until > h.until:
		policy, _ := exhausted(a)
		h.until, h.policy = until, strings.Clone(policy) // not to keep the server's whole field
		p.base = back
		p.forgetOwed()
	}
}

// holdOnly holds the limits of these policies until a time, which a request has
// violated. It reports false, and does nothing, if there are none, or one is not known,
// or the request was thought to use nothing of it: what it limits then is not known,
// either.
func (p *Partition) holdOnly(t *Ticket, policies []string, until Instant) bool {
	for _, policy := range policies {
		concerned := func(l limit) bool { return policy != "" && l.name == policy && t.charge(l.unit).cost > 0 }
		if !slices.ContainsFunc(p.limits, concerned) {
			return false
		}
	}
	for i := range p.limits {
		if l := &p.limits[i]; slices.Contains(policies, l.name) {
			l.held = max(l.held, until)
		}
	}
	return len(policies) > 0
}

// newRound takes in what only the first refusal of a round tells.
func (p *Partition) newRound(now Instant, t *Ticket, a *Answer) {
	h := &p.hold
	h.rounds = min(h.rounds+1, mostRounds)
	if a.Overloaded {
		return // how long to wait is a guess of the server's, and no rate is too high
	}
	if h.free > 0 {
		h.early(t.sent.Sub(h.free))
	}
	_, explained := exhausted(a)
	explained = explained || len(a.Violated) > 0
	for i := range p.limits {
		l := &p.limits[i]
		switch {
		case l.seq != t.seq || l.remaining == Unknown:
		case l.remaining == 0:
			l.refused()
			if l.windFrom != told && p.trial.n < trialFew {
				explained = false // its pace is a guess, and a bad one
			}
		case l.remaining < t.charge(l.unit).cost:
			explained = true // there was too little for a request of that cost
		}
	}
	p.trial.refused(now, explained)
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

// exhausted names the limit that an answer says is used up, if it names one.
func exhausted(a *Answer) (policy string, named bool) {
	for i := range a.Limits {
		if a.Limits[i].Remaining == 0 {
			return a.Limits[i].Policy, true
		}
	}
	return "", false
}

// succeeded takes in a success of a request that was sent after the last refusal.
func (h *hold) succeeded(t *Ticket) {
	if t.seq <= h.since {
		return
	}
	h.rounds, h.alone, h.silent = 0, false, nil
	h.late = int32(scale(h.slack(), slackKept))
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
