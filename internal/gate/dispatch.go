package gate

import (
	"cmp"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// try lets the visit go on if it may go at once. It does not if the request is not priced in the units that the partition
// counts now, or if the partition is forgotten.
func (p *Partition) try(v *Visit) (goes bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isForgotten || !v.isPricedIn(p.pacer.Units()) || !p.queue.isEmpty() {
		return false
	}
	v.cost.Route = p.route(v, false)
	now := p.notBefore(v.Called) // Cost may have taken long since
	var plan pacer.Plan
	if goes = p.pacer.Take(now, &v.cost, &v.ticket, &plan); !goes {
		if now = p.now(); plan.At <= now { // later calls may have taken the lock first
			goes = p.pacer.Take(now, &v.cost, &v.ticket, &plan)
		}
	}
	if goes {
		p.used = max(p.used, now) // calls may overtake each other
		v.state = granted
		if p.settings.Shadow || p.settings.Ceiling == nil {
			v.state = sent
		}
	}
	return goes
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

// plan sets the kind of w, and returns the plan of w if it joined the queue now.
func (p *Partition) plan(now pacer.Instant, w *waiter) pacer.Plan {
	w.kind = p.kindOf(&w.cost)
	return p.planBehind(now, p.queue.ahead(w), w)
}

// planBehind returns the plan of w behind others of that cost.
func (p *Partition) planBehind(now pacer.Instant, ahead int64, w *waiter) pacer.Plan {
	plan := p.pacer.Plan(now, ahead, &w.cost)
	plan.Cause = cmp.Or(plan.Cause, CauseQueue)
	return plan
}

// kindOf returns the queue's kind for a request of that cost. Requests of one kind count against the same limits.
func (p *Partition) kindOf(cost *pacer.Cost) kind {
	k := kind{route: max(cost.Route, 1)} // 0 means that the partition has one route only
	if cost.Requests == 0 {
		k.free = 1
	}
	if cost.Others != nil {
		for i, n := range cost.Others {
			if n == 0 {
				k.free |= 2 << i
			}
		}
	}
	return k
}

// join is add for a visit that has no place yet. It reports false, and does nothing, where try would do nothing.
func (p *Partition) join(v *Visit, wait *Wait) (ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isForgotten || !v.isPricedIn(p.pacer.Units()) {
		return false
	}
	v.cost.Route = p.route(v, true)
	p.add(v, wait)
	return true
}

// add sets wait to that of an early visit, and moves the visit to the queue unless the wait is too long. In shadow mode the
// request is sent.
func (p *Partition) add(v *Visit, wait *Wait) {
	now, w := p.now(), v.newWaiter()
	*wait = Wait{Plan: p.plan(now, w), Now: now, Queue: p.queue.len() + 1, Resend: v.isResend}
	switch {
	case p.settings.Shadow:
		p.pacer.Send(now, &v.cost, &v.ticket)
		p.used, v.state = now, sent
	case !w.isLate(wait):
		p.enqueue(w, &wait.Plan)
		v.waiter, v.state = w, queued
	}
	p.settle(now)
	p.wantPart()
}

// enqueue queues w with that plan.
func (p *Partition) enqueue(w *waiter, plan *pacer.Plan) {
	w.decided, w.cause, w.policy = make(chan struct{}), plan.Cause, plan.Policy
	p.queue.push(w, plan.Known)
}

// settle updates the queue after an event. It grants the waiters that may go now, refuses those that cannot start in time,
// and sets the timer for the rest.
func (p *Partition) settle(now pacer.Instant) {
	if p.queue.isEmpty() && p.timer == nil { // as mostly
		return
	}
	for p.settleNext(now) {
		continue
	}
}

// settleNext grants or refuses one waiter, or all whose MaxWait is over. If there is none to grant or refuse, it sets the
// timer and reports false.
func (p *Partition) settleNext(now pacer.Instant) (isOne bool) {
	next, awaited := pacer.Never, pacer.LimitSet(0)
	for _, w := range p.queue.firsts() {
		if awaited != 0 && awaited&p.queue.uses(w) != 0 { // it may not overtake those before it
			continue
		}
		plan := p.planBehind(now, 0, w)
		switch {
		case w.bound.excludes(&plan):
			p.queue.remove(w)
			w.refuse(now, &plan)
		case plan.At <= now:
			p.grant(now, w)
		case plan.Known && !w.line.planned:
			p.replan(now)
		default:
			w.cause, w.policy = plan.Cause, plan.Policy
			next, awaited = min(next, plan.At), awaited|plan.For
			continue
		}
		return true
	}
	expired := p.queue.expired(now) // last, as a waiter that may go at this instant is not too late
	for _, w := range expired {
		plan := p.planBehind(now, 0, w)
		p.queue.remove(w)
		w.refuse(now, &plan)
	}
	p.setAlarm(now, min(next, p.queue.expires))
	return len(expired) > 0
}

// grant lets w go.
func (p *Partition) grant(now pacer.Instant, w *waiter) {
	p.queue.grant(w)
	w.ticket = new(pacer.Ticket)
	p.pacer.Send(now, &w.cost, w.ticket)
	p.used = now
	close(w.decided)
}

// replan plans all waiters again and refuses those whose start is now too late. It is called when a hold has begun or
// limits have become known.
func (p *Partition) replan(now pacer.Instant) {
	p.queue.sift(func(w *waiter, ahead int64) (stays bool) {
		plan := p.planBehind(now, ahead, w)
		if stays = !w.bound.excludes(&plan); !stays {
			w.refuse(now, &plan)
		}
		return stays
	})
}

// setAlarm sets the timer that settles the queue; at Never there is none.
func (p *Partition) setAlarm(now, at pacer.Instant) {
	switch {
	case at == pacer.Never && p.timer != nil:
		p.timer.Stop()
		p.timer = nil
	case at == pacer.Never:
	case p.timer == nil:
		p.timer = clock.After(at.Sub(now), p.wake)
	case p.alarm != at:
		p.timer.Reset(at.Sub(now))
	}
	p.alarm = at
}

// wake is called by the timer.
func (p *Partition) wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.settle(p.now())
}

// takeBack takes a granted request back if a hold applies to it, or if it may not go at its new cost. It is added again
// then.
func (p *Partition) takeBack(v *Visit, isRepriced bool, wait *Wait) (isBack bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if !isRepriced && !p.pacer.Stops(now, &v.ticket) {
		return false
	}
	p.pacer.Cancel(now, &v.ticket) // first, so that the request is not planned behind itself
	p.used = now
	if isBack = !p.pacer.Take(now, &v.cost, &v.ticket, &wait.Plan); isBack {
		v.state = outside
		p.add(v, wait)
	} else {
		p.settle(now)
	}
	return isBack
}

// isNeeded reports whether a request waits or is in flight.
func (p *Partition) isNeeded() bool { return p.pacer.InFlight() > 0 || !p.queue.isEmpty() }
