package schedule

import (
	"context"
	"errors"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// ErrForgotten says that the partition is no longer the one of its key, which is to be looked up again.
var ErrForgotten = errors.New("schedule: the partition was forgotten")

// Enter returns once the request may go to the wire; then Answered, Lost or Leave follows. If it may not go in time it
// returns a Refusal, and there is nothing to give back; in a shadow the request goes nevertheless.
//
// Errors: ErrForgotten, and the cause of the context's end.
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

// early returns the entry in the queue of a request that may not go before plan, behind so many others, and tells
// of its wait. In a shadow there is none, and a Refusal if the request would come too late.
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
	isSent      step = iota // it may go
	isQueued                // it waits, or is refused
	isEarly                 // it may not go yet; in a shadow it goes
	isUnpriced              // its cost is not known in the units that the partition counts
	isForgotten             // the partition is not the right one any more
)

// try has a request go if it may go at once, or has w join the queue if that is not nil. If isEarly it sets plan, which
// says when it would be its turn, behind so many others.
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
		w.Value.cost.Since = max(v.Called, 1)
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

// units are those that the partition counts besides requests.
func (p *Partition) units() []limits.Unit {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dispatcher.pacer.Units()
}

// route returns the number of a request's route, 0 as long as there is but one, or no limits that might apply to some
// routes only. One that waits has a number in any case, as limits may be known by the time that it is its turn.
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
