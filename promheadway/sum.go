package promheadway

import (
	"cmp"
	"time"

	"github.com/headway-go/headway"
)

// A sum is the state of all partitions of one label: what can be added up is, of
// everything else it has what is nearest to trouble.
type sum struct {
	partitions, queued, inFlight int

	sending float64                            // of all
	pace    float64                            // of the slowest that has one; 0: none has
	hold    time.Duration                      // what is left of the longest
	wait    time.Duration                      // of the request that has waited longest
	limits  map[limitLabels]headway.LimitState // the scarcest
}

type limitLabels struct{ policy, unit string }

// sums are those of all Transports.
func (c *Collector) sums() map[*series]*sum {
	now := time.Now() //nolint:forbidigo // Metrics are as of the moment that they are collected at.
	sums := make(map[*series]*sum)
	for t, from := range c.instrumented() {
		for _, state := range t.State() {
			s := from.group.series(state.Partition)
			if s == nil {
				continue
			}
			if sums[s] == nil {
				sums[s] = &sum{limits: make(map[limitLabels]headway.LimitState)}
			}
			sums[s].add(now, s, &state)
		}
	}
	return sums
}

func (m *sum) add(now time.Time, s *series, p *headway.PartitionState) {
	m.partitions++
	m.queued += p.Waiting
	m.inFlight += p.InFlight
	m.sending += p.Sending
	if p.Pace > 0 && (m.pace == 0 || p.Pace < m.pace) {
		m.pace = p.Pace
	}
	m.hold = max(m.hold, p.HeldUntil.Sub(now)) // long ago if there is none
	if !p.WaitingSince.IsZero() {
		m.wait = max(m.wait, now.Sub(p.WaitingSince))
	}
	for _, l := range p.Limits {
		m.hold = max(m.hold, l.HeldUntil.Sub(now))
		labels := s.limit(l.Policy, string(l.Unit))
		if scarcest, ok := m.limits[labels]; !ok || scarcer(&l, &scarcest) {
			m.limits[labels] = l
		}
	}
}

// scarcer reports whether less is left of a than of b.
func scarcer(a, b *headway.LimitState) bool {
	return cmp.Or(
		cmp.Compare(partLeft(a), partLeft(b)),
		cmp.Compare(a.Remaining, b.Remaining),
		cmp.Compare(b.Quota, a.Quota),
	) < 0
}

// partLeft is which part of its quota a limit has left. Those of which it cannot be
// known come last.
func partLeft(l *headway.LimitState) float64 {
	switch {
	case l.Remaining < 0:
		return 2
	case l.Remaining == 0:
		return 0
	case l.Quota <= 0:
		return 1
	}
	return float64(l.Remaining) / float64(l.Quota)
}
