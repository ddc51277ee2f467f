package headway

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/headway-go/headway/pacer"
)

// replanAfter is how much later than planned the first waiter must start before
// all others are planned anew, which takes time in proportion to their number.
// Less than this is noticed when a waiter gets to the head of the queue.
const replanAfter = 100 * time.Millisecond

// A partition joins the pacing state of one partition with the requests that
// wait for it. The methods that take now expect p.mu to be held, unless they
// say that they lock it.
type partition struct {
	mu      sync.Mutex
	pacer   pacer.Partition
	queue   *queue // nil while nothing waits
	clock   *clock
	key     key           // never written to
	used    pacer.Instant // when a request last left
	evicted bool          // no longer in the registry: look it up again
}

// pass sends a request if it may go at once and nothing waits, or, forced,
// whatever the plan is.
func (p *partition) pass(now pacer.Instant, cost int64, forced bool, ticket *pacer.Ticket) (plan pacer.Plan, ok bool) {
	if p.queue == nil && !forced {
		return p.pacer.Take(now, cost, rand.Float64(), ticket)
	}
	plan = p.pacer.Plan(now, p.queue.ahead(false), cost)
	if forced {
		*ticket = p.send(now, cost)
	}
	return plan, forced
}

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
	plan := p.pacer.Plan(now, p.queue.ahead(w.resend), w.cost)
	if w.bound.excludes(plan) {
		return plan, false
	}
	if p.queue == nil {
		p.queue = &queue{planned: pacer.Never}
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
		plan := p.pacer.Plan(now, 0, w.cost)
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
		if plan.At > q.planned.Add(replanAfter) {
			p.replan(now)
		}
		q.planned = plan.At
		p.setAlarm(now, min(plan.At, q.expiry()))
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
	p.queue.all(func(w *waiter) {
		if plan := p.pacer.Plan(now, ahead, w.cost); w.bound.excludes(plan) {
			p.refuse(now, w, plan)
			return
		}
		ahead += w.cost
	})
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
	w.list.remove(w)
	w.ticket, w.granted = p.send(now, w.cost), true
	p.queue.planned = p.pacer.Plan(now, 0, w.cost).At
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
		w.list.remove(w)
	}
	w.plan, w.asked = plan, now
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
		first := w == p.queue.first()
		w.list.remove(w)
		p.used = now
		if first {
			p.settle(now)
		}
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

func (p *partition) send(now pacer.Instant, cost int64) pacer.Ticket {
	return p.pacer.Send(now, cost, rand.Float64())
}

// cancel takes back a request that never reached Base.
func (p *partition) cancel(now pacer.Instant, ticket *pacer.Ticket) {
	p.pacer.Cancel(ticket)
	p.used = now
	p.settle(now)
}

// requeue takes back a request that was let go and never reached Base, and has w
// wait in its place, if a hold has been set meanwhile. It locks p.mu.
func (p *partition) requeue(now pacer.Instant, ticket *pacer.Ticket, w *waiter) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pacer.HeldUntil() <= now {
		return false
	}
	p.join(now, w)
	p.cancel(now, ticket)
	return true
}

// A verdict is what became of an answered request.
type verdict struct {
	placed  bool          // its place stays taken until the end of the body
	queued  bool          // it is going to be sent again
	holdEnd pacer.Instant // end of the hold that its answer set or lengthened; 0: it did neither
}

// answered learns from the response to a request. If the request is to be sent
// again, resend is not nil and is queued, provided it can start in time. Where
// requests in flight are limited, the place stays taken if a body follows. It
// locks p.mu.
func (p *partition) answered(now pacer.Instant, ticket *pacer.Ticket, answer *pacer.Answer, bodyFollows bool, resend *waiter) (v verdict) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.pacer.HeldUntil()
	p.pacer.Answered(now, ticket, answer, rand.Float64())
	if end := p.pacer.HeldUntil(); end > max(before, now) {
		v.holdEnd = end
	}
	if resend != nil {
		_, v.queued = p.enqueue(now, resend)
	}
	v.placed = bodyFollows && p.pacer.HasConcurrencyLimit()
	if v.placed {
		p.settle(now)
	} else {
		p.release(now)
	}
	return v
}

// lost records that Base had no response for a request. It locks p.mu.
func (p *partition) lost(now pacer.Instant) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pacer.Lost(now)
	p.release(now)
}

// release frees the place of a request that is over.
func (p *partition) release(now pacer.Instant) {
	p.pacer.Release()
	p.used = now
	p.settle(now)
}
