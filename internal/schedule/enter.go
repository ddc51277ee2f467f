package schedule

import (
	"context"
	"errors"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// ErrForgotten says that the registry has dropped the partition. The caller has to look up its key again.
var ErrForgotten = errors.New("schedule: the partition was forgotten")

// Enter waits until the request may be sent. Then the caller sends it and calls Answered, Served or Leave. If the request
// could not start in time, Enter returns a Refusal, and there is nothing to give back. In shadow mode the caller sends the
// request in spite of the Refusal.
//
// Errors: ErrForgotten, or that of Ended.
func (p *Partition) Enter(ctx context.Context, v *Visit) (*Refusal, error) {
	v.partition = p
	if !v.isPriced {
		v.price(nil) // most servers count requests alone
	}
	var w *waiter
	for {
		var plan pacer.Plan
		others, step := p.try(v, w, &plan)
		switch step {
		case isForgotten:
			return nil, ErrForgotten
		case isUnpriced:
			v.price(p.units())
		case isSent, isQueued:
			return v.pass(ctx)
		case isEarly:
			var refusal *Refusal
			if w, refusal = v.early(ctx, &plan, others); w == nil {
				return refusal, nil
			}
		}
	}
}

// early returns the waiter of a request that has to wait until plan, behind so many others, and calls the Watcher. In
// shadow mode there is no waiter, and a Refusal if the request would start too late.
func (v *Visit) early(ctx context.Context, plan *pacer.Plan, others int) (*waiter, *Refusal) {
	w := v.newWaiter(v.bound(ctx), v.cost)
	isExcluded, isShadow := w.Value.bound.excludes(plan), v.partition.dispatcher.Shadow
	switch {
	case !isExcluded:
		v.tell(v.Called, Delay{Plan: *plan, Queue: others + 1})
	case isShadow:
		return nil, w.Value.bound.refusal(v.Called, plan)
	}
	if isShadow {
		return nil, nil
	}
	return w, nil
}

// A step is what came of one attempt to enter.
type step uint8

const (
	isSent      step = iota // the request may go
	isQueued                // the request waits, or is refused
	isEarly                 // the request may not go yet; in shadow mode it goes
	isUnpriced              // its cost is unknown in a unit that the partition counts
	isForgotten             // the registry has dropped the partition
)

// try sends the request if it may go at once. If w is not nil, w joins the queue instead. If the step is isEarly, plan
// says when the request could go, and others how many requests wait before it.
func (p *Partition) try(v *Visit, w *waiter, plan *pacer.Plan) (others int, s step) {
	p.lock()
	defer p.mu.Unlock()
	d := &p.dispatcher
	switch {
	case p.dispatcher.isForgotten.Load():
		return 0, isForgotten
	case !v.isPricedIn(d.pacer.Units()):
		return 0, isUnpriced
	}
	v.cost.Route = d.route(v, w != nil)
	if w != nil {
		w.Value.cost, w.Requests = v.cost, v.cost.Requests
		v.queued, v.state = w, queued
		d.join(d.Clock.Now(), w, p)
		p.dispatcher.wantPart()
		return 0, isQueued
	}
	now := v.Called
	ok := d.take(now, v, plan)
	if !ok {
		// Later calls may have taken the lock first, so the slot is tried again with the current time.
		if now = d.Clock.Now(); plan.At <= now {
			ok = d.take(now, v, plan)
		}
	}
	switch {
	case ok:
		v.state = sent
		return 0, isSent
	case d.Shadow:
		d.send(v.Called, &v.cost, &v.ticket)
		v.state = sent
	}
	return d.queue().Len(), isEarly
}

// units are the quota units that the partition counts besides requests.
func (p *Partition) units() []limits.Unit {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dispatcher.pacer.Units()
}

// route returns the number of the request's route. It returns 0 while there is only one route, or no limit that could
// apply to some routes only. A request that waits always has a number, as limits may be known when it is granted.
func (d *dispatcher) route(v *Visit, waits bool) uint8 {
	isNeeded := waits || d.pacer.HasLimits()
	if !isNeeded && d.paths.HasOne() {
		return 0
	}
	r := d.paths.Route(v.Price.Request.Method, v.Price.Request.URL, isNeeded)
	if r.Number != 0 {
		d.pacer.Describe(r.Number, r.Like, r.Mixed)
	}
	return r.Number
}
