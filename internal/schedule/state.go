package schedule

import (
	"slices"

	"github.com/headway-go/headway/pacer"
)

// A State is what a partition knows and plans at one moment.
type State struct {
	pacer.State

	Now       pacer.Instant
	Waiting   int           // requests in the queue, or let go and waiting for the Ceiling
	Oldest    pacer.Instant // when the request was made that has waited longest in the queue; 0: none waits
	Next      pacer.Plan    // of the first in the queue to start, if IsWaiting
	IsWaiting bool          // a request is in the queue
	Throttled pacer.Instant // when a response last refused a request; 0: never
	Members   int           // of the fleet that shares its quotas; 0: not known
}

// State returns the state of the partition. It changes nothing.
func (p *Partition) State() State {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := &p.dispatcher
	now := d.Clock.Now()
	s := State{State: d.pacer.State(now), Now: now, Waiting: d.queue().Len()}
	if n := p.dispatcher.notes; n != nil {
		s.Waiting += n.atCeiling
		s.InFlight -= int64(n.atCeiling)
		s.Throttled = n.throttled
		if slices.ContainsFunc(s.Limits, func(l pacer.LimitState) bool { return l.Agreed }) {
			s.Members = n.members
		}
	}
	if oldest := d.queue().Oldest(); oldest != nil {
		s.Oldest = pacer.Instant(oldest.Called)
	}
	for _, w := range d.queue().Firsts() {
		if plan := d.pacer.Plan(now, 0, &w.Value.cost); !s.IsWaiting || plan.At < s.Next.At {
			s.Next, s.IsWaiting = plan, true
		}
	}
	return s
}

// Adopt takes over what a partition knew in another process. It is called before any other goroutine has this one.
func (p *Partition) Adopt(known pacer.Partition) { p.dispatcher.pacer = known }

// Saved returns what there is to save of the partition, and when it was last used.
func (p *Partition) Saved(now pacer.Instant) (known []byte, used pacer.Instant) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := &p.dispatcher
	if d.isNeeded() || d.pacer.Held(now) {
		return d.pacer.Snapshot(now), now
	}
	return d.pacer.Snapshot(now), min(d.used, now)
}
