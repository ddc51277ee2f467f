package headway

import (
	"time"

	"github.com/headway-go/headway/pacer"
)

// replanAfter is how much later than planned the first waiter must start before
// all others are planned anew, which takes time in proportion to their number.
// Less than this is noticed when a waiter gets to the head of the queue.
const replanAfter = 100 * time.Millisecond

// join queues w, or refuses it.
func (p *partition) join(now pacer.Instant, w *waiter) {
	if plan, ok := p.enqueue(now, w); !ok {
		p.refuse(now, w, plan)
		return
	}
	p.settle(now)
}

// enqueue queues w unless its planned start comes too late for it.
func (p *partition) enqueue(now pacer.Instant, w *waiter) (pacer.Plan, bool) {
	plan := p.pacer.Plan(now, p.queue.ahead(w.resend, w.priority), &w.cost)
	if w.bound.excludes(plan) {
		return plan, false
	}
	if p.queue == nil {
		p.queue = &queue{planned: pacer.Never, known: plan.Known}
	}
	p.queue.push(w)
	return plan, true
}

// settle brings the queue up to date after an event: it grants what may go
// now, refuses what cannot start in time, and sets the timer for the rest. After
// a grant it leaves the rest to the granted waiter, see passOn.
func (p *partition) settle(now pacer.Instant) {
	q := p.queue
	if q == nil || q.passing {
		return
	}
	for w := q.first(); w != nil; w = q.first() {
		plan := p.pacer.Plan(now, 0, &w.cost)
		if w.bound.excludes(plan) {
			p.refuse(now, w, plan)
			continue
		}
		if plan.At <= now {
			p.grant(now, w)
			if q.passing {
				return
			}
			continue
		}
		if late := q.expired(now); late != nil {
			p.refuse(now, late, plan)
			continue
		}
		if plan.At > q.planned.Add(replanAfter) || plan.Known && !q.known {
			p.replan(now)
		}
		q.planned, q.known = plan.At, plan.Known
		p.setAlarm(now, min(plan.At, q.expires))
		return
	}
	if q.timer != nil {
		q.timer.Stop()
	}
	p.queue = nil
}

// replan refuses the waiters whose planned start now comes too late.
func (p *partition) replan(now pacer.Instant) {
	var ahead int64
	for _, w := range p.queue.all() {
		if plan := p.pacer.Plan(now, ahead, &w.cost); w.bound.excludes(plan) {
			p.refuse(now, w, plan)
			continue
		}
		ahead += w.cost.Requests
	}
}

func (p *partition) setAlarm(now, at pacer.Instant) {
	q := p.queue
	switch {
	case q.timer == nil:
		q.timer = after(at.Sub(now), p.wake)
	case q.alarm != at:
		q.timer.Reset(at.Sub(now))
	}
	q.alarm = at
}

// wake is what the timer calls. It locks p.mu.
func (p *partition) wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.settle(p.clock.now())
}

func (p *partition) grant(now pacer.Instant, w *waiter) {
	p.queue.grant(w)
	w.ticket, w.granted = p.send(now, &w.cost), true
	p.queue.planned = p.pacer.Plan(now, 0, &w.cost).At
	p.queue.passing = !w.resend // who is to be resent may still be busy with the last response
	close(w.decided)
}

// passOn is called by a waiter that was granted, before it goes on: the next
// one is granted only now. So those that may go all at once start in order, and
// no one holds the lock for as long as it takes to grant them all. It locks p.mu.
func (p *partition) passOn(w *waiter) {
	if w.resend {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue.passing = false
	p.settle(p.clock.now())
}

func (p *partition) refuse(now pacer.Instant, w *waiter, plan pacer.Plan) {
	if w.list != nil {
		p.queue.remove(w)
	}
	w.plan, w.refusedAt = plan, now
	close(w.decided)
}

// leave takes back w, whose context has ended, be it queued or just granted. It
// reports false if w was refused in the same instant. It locks p.mu.
func (p *partition) leave(w *waiter) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.now()
	switch {
	case w.list != nil:
		p.queue.remove(w)
		p.used = now
		p.settle(now)
		return true
	case w.granted:
		if !w.resend {
			p.queue.passing = false
		}
		p.cancel(now, &w.ticket)
		return true
	default:
		return false
	}
}

// requeue takes back a request that was let go and never reached Base, and has w
// wait in its place. It locks p.mu.
func (p *partition) requeue(now pacer.Instant, ticket *pacer.Ticket, w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cancel(now, ticket) // first, for w is not to be planned behind itself
	p.join(now, w)
}
