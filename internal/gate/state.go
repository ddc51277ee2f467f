package gate

import (
	"time"

	"github.com/headway-go/headway/pacer"
)

// A State is a snapshot of what a partition knows and plans.
type State struct {
	pacer.State

	Now       pacer.Instant
	Waiting   int           // requests in the queue, and those that wait for the Ceiling
	Oldest    pacer.Instant // when the call of the oldest request in the queue was made; 0: none waits
	Next      *Wait         // of the request in the queue that starts first; nil: none waits
	Last      pacer.Instant // when the last request in the queue starts; 0: none waits, Never: not known
	Thousand  time.Duration // until the last of 1,000 usual requests could go; 0: at once, or not known
	Throttled pacer.Instant // when a response last refused a request; 0: never
	Final     string        // the sign of a refusal for good; "": none, or a request was served since
	Open      int           // responses whose bodies take a place in flight until they end
}

// State returns the state of the partition. It changes nothing.
func (p *Partition) State() State {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.settings.Clock.Now() // not p.now, which changes p
	s := State{
		State: p.pacer.State(now), Now: now, Waiting: p.queue.len() + p.atCeiling,
		Throttled: p.throttled, Final: p.final, Open: p.bodies,
	}
	s.InFlight -= int64(p.atCeiling)
	if oldest := p.queue.oldest(); oldest != nil {
		s.Oldest = oldest.called
	}
	for _, w := range p.queue.firsts() {
		plan := p.planBehind(now, 0, w)
		plan.At = max(plan.At, now)
		if s.Next == nil || plan.At < s.Next.At {
			s.Next = &Wait{Plan: plan, Now: now, Resend: w.resend}
		}
	}
	for _, l := range p.queue.lines {
		last := l.waiters[len(l.waiters)-1]
		s.Last = max(s.Last, p.forecast(now, p.queue.ahead(last)-last.cost.Requests, 1, &last.cost).Last.At)
	}
	if f := p.forecast(now, int64(p.queue.len()), 1000, &pacer.Cost{Requests: 1}); f.Last.At < pacer.Never && (f.Share > 0 || f.IsReported || s.Trial > 0) {
		s.Thousand = f.Last.At.Sub(now)
	}
	return s
}

// Adopt replaces the pacer by one from a snapshot. It is called before any other goroutine has the partition.
func (p *Partition) Adopt(known pacer.Partition) { p.pacer = known }

// Saved returns what a snapshot contains of the partition.
func (p *Partition) Saved(now pacer.Instant) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pacer.Snapshot(now)
}
