package schedule

import (
	"github.com/headway-go/headway/internal/queue"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// try lets the visit go on if it may go at once. If w is not nil, w joins the queue instead. If the request is early, try
// sets d to when it could go; in shadow mode the request goes nevertheless. A partition that is forgotten changes nothing.
// try reports false if the request is not priced in the units that the partition counts now.
func (p *Partition) try(v *Visit, w *waiter, d *Delay) (isPriced bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.isForgotten:
		return true
	case !v.isPricedIn(p.pacer.Units()):
		return false
	}
	v.cost.Route = p.route(v, w != nil)
	if w != nil {
		w.Value.cost, w.Requests = v.cost, v.cost.Requests
		v.waiter, v.state = w, queued
		p.join(p.now(), w)
		p.wantPart()
		return true
	}
	now := v.Called
	ok := p.take(now, v, &d.Plan)
	if !ok {
		// Later calls may have taken the lock first, so the slot is tried again with the current time.
		if now = p.now(); d.At <= now {
			ok = p.take(now, v, &d.Plan)
		}
	}
	if ok {
		v.state = p.allowed()
		return true
	}
	d.Queue = p.queue().Len() + 1
	if p.settings.Shadow {
		p.send(v.Called, &v.cost, &v.ticket)
		v.state = sent
	}
	return true
}

// units are the quota units that the partition counts besides requests.
func (p *Partition) units() []limits.Unit {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pacer.Units()
}

// route returns the number of the request's route. While no limit is known that could apply to some routes only, all
// requests have one route. That of a request that waits counts nevertheless, as limits may be known when it is granted.
func (p *Partition) route(v *Visit, waits bool) uint8 {
	if !waits && !p.pacer.HasLimits() && p.routes.AreOne() {
		return 1
	}
	r := p.routes.Of(v.Price.Request.Method, v.Price.Request.URL)
	if r.Number > 1 || r.Mixed {
		p.pacer.Describe(r.Number, r.Like, r.Mixed)
	}
	return r.Number
}

// take sends the visit's request if no other request waits and the limits allow it. If not, plan says when it could go.
func (p *Partition) take(now pacer.Instant, v *Visit, plan *pacer.Plan) (ok bool) {
	if p.waiting == nil {
		if ok = p.pacer.Take(now, &v.cost, &v.ticket, plan); ok {
			p.used = max(p.used, now) // calls may overtake each other
		}
		return ok
	}
	if *plan = (pacer.Plan{At: pacer.Never}); v.Watcher != nil { // only a Watcher needs the plan
		w := &waiter{Priority: v.Priority, Kind: p.kindOf(&v.cost), Value: claim{cost: v.cost}, Called: int64(now)}
		*plan = p.plan(now, p.queue().Ahead(w), w)
	}
	return false
}

// queue returns the queue; nil if no request waits.
func (p *Partition) queue() *queue.Queue[claim] {
	if p.waiting == nil {
		return nil
	}
	return &p.waiting.queue
}

// uses is the set of limits that the waiter's request counts against, as far as is known.
func (p *Partition) uses(w *waiter) queue.Set { return queue.Set(p.pacer.Uses(&w.Value.cost)) }

// plan implements source.
func (p *Partition) plan(now pacer.Instant, ahead int64, w *waiter) pacer.Plan {
	plan := p.pacer.Plan(now, ahead, &w.Value.cost)
	if plan.Cause == pacer.CauseNone {
		plan.Cause = CauseQueue
	}
	return plan
}

// grant implements source. No other waiter is granted before passOn. A resend may still be reading its last response, so
// the queue does not wait for its passOn.
func (p *Partition) grant(now pacer.Instant, w *waiter) {
	p.waiting.passing = !w.Resend
	w.Value.ticket = new(pacer.Ticket)
	p.send(now, &w.Value.cost, w.Value.ticket)
}

// send records a request that goes now, even if it was planned for later.
func (p *Partition) send(now pacer.Instant, cost *pacer.Cost, t *pacer.Ticket) {
	p.pacer.Send(now, cost, t)
	p.used = max(p.used, now)
}

// kindOf returns the queue's kind for a request of that cost. Requests of one kind count against the same limits.
func (p *Partition) kindOf(cost *pacer.Cost) queue.Kind {
	k := queue.Kind{Route: max(cost.Route, 1)} // 0 means that the partition has one route only
	if cost.Requests == 0 {
		k.Free = 1
	}
	if cost.Others != nil {
		for i, n := range cost.Others {
			if n == 0 {
				k.Free |= 2 << i
			}
		}
	}
	return k
}

// enqueue queues w, unless its planned start is too late.
func (p *Partition) enqueue(now pacer.Instant, w *waiter) (plan pacer.Plan, ok bool) {
	w.Kind = p.kindOf(&w.Value.cost)
	plan = p.plan(now, p.queue().Ahead(w), w)
	b := &w.Value.bound
	if b.excludes(&plan) || w.Resend && now > b.latest { // a resend must start in time even if no server report supports the plan
		return plan, false
	}
	if p.waiting == nil {
		p.waiting = &waiting{source: p, queue: queue.Make(p.uses)}
	}
	w.Value.cause, w.Value.policy = plan.Cause, plan.Policy
	p.waiting.queue.Push(w, plan.Known)
	return plan, true
}

// join queues w or refuses it. It settles only where that may matter: if w is first, or expires before the alarm.
func (p *Partition) join(now pacer.Instant, w *waiter) {
	plan, ok := p.enqueue(now, w)
	switch {
	case !ok:
		refuse(w, now, &plan)
	case w.IsFirst() || pacer.Instant(w.Expires) < p.waiting.alarm:
		p.settle(now)
	}
}

// queueAgain queues a refused request once more, if it can start in time.
func (p *Partition) queueAgain(now pacer.Instant, v *Visit, w *waiter, verdict *Verdict) {
	if plan, ok := p.enqueue(now, w); ok {
		v.waiter, v.state = w, queued
		verdict.Resend, verdict.Delay = true, &Delay{Plan: plan, Queue: p.queue().Len(), Resend: true}
	}
}

// settle updates the queue after an event, see waiting.settle.
func (p *Partition) settle(now pacer.Instant) {
	if p.waiting != nil && p.waiting.settle(now) {
		p.waiting = nil
	}
}

// replan plans all waiters again, see waiting.replan.
func (p *Partition) replan(now pacer.Instant) {
	if p.waiting != nil {
		p.waiting.replan(now)
	}
}

// wake is called by the timer.
func (p *Partition) wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.settle(p.now())
}

// passOn grants the next waiter. A granted waiter calls it before it goes on. So waiters that may go at the same time
// start in order, and no goroutine holds the lock while all of them are granted.
func (p *Partition) passOn(w *waiter) {
	if w.Resend {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting != nil {
		p.waiting.passing = false
		p.settle(p.now())
	}
}

// stopped returns a waiter for the request, and its Delay, if a hold applies to the request or it may not go at its cost.
// Otherwise it returns nil. before is the cost at which the request was granted, if that was another one.
func (p *Partition) stopped(v *Visit, b bound, before *pacer.Cost) (*waiter, Delay) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if !p.pacer.Stops(now, &v.ticket) && (before == nil || p.recharge(now, v, before)) {
		return nil, Delay{}
	}
	w := v.newWaiter(b, v.cost)
	w.Kind = p.kindOf(&w.Value.cost)
	return w, Delay{Plan: p.plan(now, p.queue().Ahead(w), w), Queue: p.queue().Len() + 1, Resend: w.Resend}
}

// recharge charges a granted request its new cost instead of the one before. If the request may not go at that cost,
// recharge reports false and leaves it as it was.
func (p *Partition) recharge(now pacer.Instant, v *Visit, before *pacer.Cost) bool {
	p.pacer.Cancel(now, &v.ticket)
	if !p.pacer.Take(now, &v.cost, &v.ticket, new(pacer.Plan)) {
		p.pacer.Send(now, before, &v.ticket)
		return false
	}
	p.settle(now)
	return true
}

// requeue undoes the sending of a granted request that never reached the network, and queues w instead. Others get what
// that frees only after w, which keeps its turn.
func (p *Partition) requeue(v *Visit, w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	p.pacer.Cancel(now, &v.ticket) // first, so that w is not planned behind itself
	p.used = now
	p.join(now, w)
	p.settle(now)
	p.wantPart()
	v.waiter, v.state = w, queued
}

// leave takes back the place of w, whose request has ended. If w was granted at the same instant, leave undoes the grant.
// If it was refused, there is nothing to undo.
func (p *Partition) leave(w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	switch {
	case w.IsQueued():
		wasFirst := w.IsFirst()
		p.waiting.queue.Remove(w)
		if p.used = now; wasFirst {
			p.settle(now)
		}
	case w.Value.ticket != nil:
		if !w.Resend && p.waiting != nil {
			p.waiting.passing = false
		}
		p.undo(now, w.Value.ticket)
	}
}

// cancel undoes the sending of a granted request.
func (p *Partition) cancel(t *pacer.Ticket) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.undo(p.now(), t)
}

// undo undoes the sending of a request that never reached the network.
func (p *Partition) undo(now pacer.Instant, t *pacer.Ticket) {
	p.pacer.Cancel(now, t)
	p.used = now
	p.settle(now)
}

// isNeeded reports whether a request waits or is in flight.
func (p *Partition) isNeeded() bool { return p.pacer.InFlight() > 0 || p.waiting != nil }
