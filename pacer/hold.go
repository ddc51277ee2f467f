package pacer

import (
	"time"

	"github.com/cenkalti/backoff/v4"
)

const (
	maxSlack  = time.Second
	spreadMin = time.Second
)

// hold keeps everything of a partition from the wire until a time.
type hold struct {
	until  Instant
	told   Instant // the end as told, without slack
	policy string
	rounds int
	since  uint64 // requests sent when it was set: refusals of those belong to the same round
	alone  bool   // one in flight until a success
	slack  time.Duration
	silent *backoff.ExponentialBackOff
}

func (h *hold) succeeded(t Ticket) {
	if t.seq > h.since {
		h.rounds = 0
		h.alone = false
		h.silent = nil
		h.slack = scale(h.slack, 0.995)
	}
}

func (p *Partition) refused(now Instant, t Ticket, a Answer, u float64) {
	h := &p.hold
	again := t.seq > h.since
	if again {
		h.rounds++
		if a.Overloaded {
			p.places.overloaded(now)
		} else {
			p.trial.refused(now)
		}
		for i := range p.limits {
			if p.limits[i].seq == t.seq {
				p.limits[i].share.refused()
			}
		}
	}
	gap := p.interval()
	wait := p.wait(a, gap, again)
	least := max(gap, scale(100*time.Millisecond, float64(int64(1)<<min(h.rounds, 20))))
	if again {
		h.learn(t.sent, p.limits)
	}
	told := now.Add(wait)
	until := now.Add(max(wait, least)).Add(h.slack)
	h.told = told
	h.alone = gap == 0 && !a.Overloaded
	h.since = p.seq
	if until > h.until {
		h.until = until
		p.base = until.Add(scale(max(gap, spreadMin), u))
		p.owed = 0
	}
}

func (p *Partition) wait(a Answer, gap time.Duration, again bool) time.Duration {
	if a.RetryAfter >= 0 {
		return a.RetryAfter
	}
	wait := time.Duration(-1)
	for _, l := range a.Limits {
		if l.Remaining == 0 && l.Reset >= 0 {
			wait = max(wait, l.Reset)
		}
	}
	if wait >= 0 {
		return wait
	}
	h := &p.hold
	if h.silent == nil {
		h.silent = backoff.NewExponentialBackOff(backoff.WithInitialInterval(500*time.Millisecond), backoff.WithMultiplier(2), backoff.WithMaxInterval(time.Minute), backoff.WithRandomizationFactor(0), backoff.WithMaxElapsedTime(0))
		return max(h.silent.NextBackOff(), gap)
	}
	if again {
		return max(h.silent.NextBackOff(), gap)
	}
	return 0
}

// learn adds to what is told where it proved too early.
func (h *hold) learn(sent Instant, limits []limit) {
	if late := sent.Sub(h.told); h.told > 0 && late >= 0 && late < time.Second {
		h.slack = min(maxSlack, max(2*h.slack, late+250*time.Millisecond))
	}
}
