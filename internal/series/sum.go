package series

import (
	"cmp"
	"time"

	"github.com/headway-go/headway"
)

// A Sum is the state of all partitions of one name: what can be added up is, of
// everything else it has what is nearest to trouble.
type Sum struct {
	Partitions, Queued, InFlight int

	Sending float64                      // of all
	Pace    float64                      // of the slowest that has one; 0: none has
	Hold    time.Duration                // what is left of the longest
	Wait    time.Duration                // of the request that has waited longest in a queue
	Limits  map[Limit]headway.LimitState // the scarcest
}

// Sums are those of all Transports at the moment. They may begin series.
func (s *Set[R]) Sums() map[R]*Sum {
	now := time.Now() //nolint:forbidigo // Metrics are as of the moment that they are collected at.
	sums := make(map[R]*Sum)
	for t, from := range s.instrumented() {
		for _, state := range t.State() {
			series := from.find(state.Partition)
			if series == nil {
				continue
			}
			sum := sums[series.recorder]
			if sum == nil {
				sum = &Sum{Limits: make(map[Limit]headway.LimitState)}
				sums[series.recorder] = sum
			}
			sum.add(now, &state)
			for _, l := range state.Limits {
				sum.addLimit(now, series.limit(l.Policy, string(l.Unit)), l)
			}
		}
	}
	return sums
}

func (m *Sum) add(now time.Time, p *headway.PartitionState) {
	m.Partitions++
	m.Queued += p.Waiting
	m.InFlight += p.InFlight
	m.Sending += p.Sending
	if p.Pace > 0 && (m.Pace == 0 || p.Pace < m.Pace) {
		m.Pace = p.Pace
	}
	m.Hold = max(m.Hold, p.HeldUntil.Sub(now)) // long ago if there is none
	if !p.WaitingSince.IsZero() {
		m.Wait = max(m.Wait, now.Sub(p.WaitingSince))
	}
}

func (m *Sum) addLimit(now time.Time, name Limit, l headway.LimitState) {
	m.Hold = max(m.Hold, l.HeldUntil.Sub(now))
	if scarcest, ok := m.Limits[name]; !ok || scarcer(&l, &scarcest) {
		m.Limits[name] = l
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
