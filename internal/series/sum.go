package series

import (
	"cmp"
	"time"

	"github.com/headway-go/headway"
)

// A Sum combines the states of all partitions of one name. It has the sum of each number that
// can be added up, and the worst of every other.
type Sum struct {
	Partitions, Queued, InFlight int

	Sending float64                      // the sum of all partitions
	Pace    float64                      // the slowest pace; 0: no partition has one
	Hold    time.Duration                // the rest of the longest hold
	Wait    time.Duration                // the age of the oldest request in a queue
	Limits  map[Limit]headway.LimitState // of each label, the limit with the least remaining
}

// Sums returns the Sums of all Transports as of now. It may make new series. What was restored and not used yet is left out.
func (s *Set[R]) Sums() map[R]*Sum {
	now := time.Now() //nolint:forbidigo // metrics describe the moment at which they are collected
	sums := make(map[R]*Sum)
	for t, from := range s.instrumented() {
		for _, state := range t.State() {
			if state.Restored { // its real name is not known
				continue
			}
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
	m.Hold = max(m.Hold, p.HeldUntil.Sub(now)) // negative without a hold
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

// scarcer reports whether a has a smaller part of its quota left than b.
func scarcer(a, b *headway.LimitState) bool {
	return cmp.Or(
		cmp.Compare(partLeft(a), partLeft(b)),
		cmp.Compare(a.Remaining, b.Remaining),
		cmp.Compare(b.Quota, a.Quota),
	) < 0
}

// partLeft returns the part of its quota that a limit has left. Limits for which it is unknown
// get a number above 1, and so come last.
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
