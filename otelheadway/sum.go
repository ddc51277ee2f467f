package otelheadway

import (
	"cmp"
	"context"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/headway-go/headway"
)

// A sum is the state of all partitions of one name: what can be added up is, of
// everything else it has what is nearest to trouble.
type sum struct {
	partitions, queued, inFlight int64

	sending float64                          // of all
	pace    float64                          // of the slowest that has one; 0: none has
	hold    time.Duration                    // what is left of the longest
	wait    time.Duration                    // of the request that has waited longest
	limits  map[limitName]headway.LimitState // the scarcest
}

// collect tells the gauges of all Transports.
func (m *Meter) collect(_ context.Context, to metric.Observer) error {
	for s, sum := range m.sums() {
		m.instruments.gauges.observe(to, s, sum)
	}
	return nil
}

func (g *gauges) observe(to metric.Observer, s *series, n *sum) {
	to.ObserveInt64(g.partitions, n.partitions, s.all)
	to.ObserveInt64(g.queued, n.queued, s.all)
	to.ObserveInt64(g.active, n.inFlight, s.all)
	to.ObserveFloat64(g.sending, n.sending, s.all)
	to.ObserveFloat64(g.hold, n.hold.Seconds(), s.all)
	to.ObserveFloat64(g.wait, n.wait.Seconds(), s.all)
	if n.pace > 0 {
		to.ObserveFloat64(g.pace, n.pace, s.all)
	}
	for name, l := range n.limits {
		attrs := s.with(name.attributes()...)
		if l.Quota >= 0 {
			to.ObserveInt64(g.quota, l.Quota, attrs)
		}
		if l.Remaining >= 0 {
			to.ObserveInt64(g.remaining, l.Remaining, attrs)
		}
	}
}

// sums are those of all Transports.
func (m *Meter) sums() map[*series]*sum {
	now := time.Now() //nolint:forbidigo // Metrics are as of the moment that they are collected at.
	sums := make(map[*series]*sum)
	for t, from := range m.instrumented() {
		for _, state := range t.State() {
			s := from.group.series(state.Partition)
			if s == nil {
				continue
			}
			if sums[s] == nil {
				sums[s] = &sum{limits: make(map[limitName]headway.LimitState)}
			}
			sums[s].add(now, s, &state)
		}
	}
	return sums
}

func (n *sum) add(now time.Time, s *series, p *headway.PartitionState) {
	n.partitions++
	n.queued += int64(p.Waiting)
	n.inFlight += int64(p.InFlight)
	n.sending += p.Sending
	if p.Pace > 0 && (n.pace == 0 || p.Pace < n.pace) {
		n.pace = p.Pace
	}
	n.hold = max(n.hold, p.HeldUntil.Sub(now)) // long ago if there is none
	if !p.WaitingSince.IsZero() {
		n.wait = max(n.wait, now.Sub(p.WaitingSince))
	}
	for _, l := range p.Limits {
		n.hold = max(n.hold, l.HeldUntil.Sub(now))
		name := s.limit(l.Policy, string(l.Unit))
		if scarcest, ok := n.limits[name]; !ok || scarcer(&l, &scarcest) {
			n.limits[name] = l
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
