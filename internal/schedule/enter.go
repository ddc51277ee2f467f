package schedule

import (
	"cmp"
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
			s := p.desk.Settings
			w = newWaiter(v.Called, boundOf(ctx, &s.Clock, v.Called, s.MaxWait), v.cost, v.Priority, false)
			excluded := w.Value.bound.excludes(&plan)
			if !excluded {
				v.tell(v.Called, Delay{Plan: plan, Queue: others + 1})
			}
			switch {
			case s.Shadow && excluded:
				return w.Value.bound.refusal(v.Called, plan), nil
			case s.Shadow:
				return nil, nil
			}
		}
	}
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
	p.mu.Lock()
	defer p.mu.Unlock()
	d := &p.desk
	switch {
	case p.forgotten.Load():
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
		p.wantPart()
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
		v.ticket, v.state = d.send(v.Called, &v.cost), sent
	}
	return d.queue().Len(), isEarly
}

// units are those that the partition counts besides requests.
func (p *Partition) units() []limits.Unit {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.desk.pacer.Units()
}

// route returns the number of a request's route, 0 as long as there is but one, or no limits that might apply to some
// routes only. One that waits has a number in any case, as limits may be known by the time that it is its turn.
func (d *desk) route(v *Visit, waits bool) uint8 {
	r := d.paths.Route(v.Price.Request.Method, v.Price.Request.URL, waits || d.pacer.HasLimits())
	if r.Number != 0 {
		d.pacer.Describe(r.Number, r.Like, r.Mixed)
	}
	return r.Number
}

// pass waits until the request may go to the wire: for its turn, for the Ceiling, and again for its turn if a hold was
// set meanwhile.
func (v *Visit) pass(ctx context.Context) (*Refusal, error) {
	for {
		isHeld := false
		if v.state == queued {
			if refusal, err := v.turn(ctx); refusal != nil || err != nil {
				return refusal, err
			}
			isHeld = v.rejoin(ctx, nil)
		}
		if c := v.partition.desk.Ceiling; !isHeld && c != nil && !v.partition.desk.Shadow {
			waited, refusal, err := c.take(ctx, v)
			if refusal != nil || err != nil {
				v.cancel()
				return refusal, err
			}
			isHeld = waited && v.rejoin(ctx, c)
		}
		if !isHeld {
			return nil, nil
		}
	}
}

// turn waits until it is the request's turn.
func (v *Visit) turn(ctx context.Context) (*Refusal, error) {
	w, p := v.queued, v.partition
	if decision(ctx, w) && p.leave(w) {
		v.queued, v.state = nil, outside
		return nil, cmp.Or(context.Cause(ctx), context.Canceled)
	}
	v.queued, v.state = nil, outside
	if !w.Value.granted {
		return w.Value.bound.refusal(w.Value.refusedAt, w.Value.plan), nil
	}
	v.ticket, v.state = w.Value.ticket, sent
	p.passOn(w)
	return nil, nil
}

// passOn is called for a waiter that was granted, before it goes on: the next one is granted only now. So those that may
// go all at once start in order, and no one holds the lock for as long as it takes to grant them all.
func (p *Partition) passOn(w *waiter) {
	if w.Resend {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.desk.waiting != nil {
		p.desk.waiting.passing = false
		p.desk.settle(p.desk.Clock.Now(), p)
	}
}

// leave takes back w, whose context has ended. It reports false if w was refused in the same instant.
func (p *Partition) leave(w *waiter) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.resize()
	return p.desk.leave(p.desk.Clock.Now(), w, p)
}

// rejoin puts the request back into the queue if a hold has been set since it was let go. c has given it a token, unless
// it is nil.
func (v *Visit) rejoin(ctx context.Context, c *Ceiling) bool {
	p := v.partition
	w, d := p.held(ctx, v)
	if w == nil {
		return false
	}
	if c != nil {
		c.putBack()
	}
	v.tell(p.desk.Clock.Now(), d) // first, as others may wait for this one to pass on once it is queued
	p.requeue(v, w)
	return true
}

// held returns an entry for the request and how long it would wait if a hold keeps back requests like it; else nil.
func (p *Partition) held(ctx context.Context, v *Visit) (*waiter, Delay) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := &p.desk
	now := d.Clock.Now()
	if !d.pacer.Stops(now, &v.ticket) {
		return nil, Delay{}
	}
	w := newWaiter(v.Called, boundOf(ctx, &d.Clock, v.Called, d.MaxWait), v.cost, v.Priority, v.resends)
	w.Kind = d.kindOf(&w.Value.cost)
	return w, Delay{Plan: d.plan(now, w), Queue: d.queue().Len() + 1, Resend: w.Resend}
}

// requeue takes back a request that was let go and never reached the wire, and has w wait in its place.
func (p *Partition) requeue(v *Visit, w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.desk.Clock.Now()
	p.desk.cancel(now, &v.ticket, p) // first, for w is not to be planned behind itself
	p.desk.join(now, w, p)
	p.wantPart()
	v.queued, v.state = w, queued
}

// cancel takes back the request, which never reached the wire.
func (v *Visit) cancel() {
	p := v.partition
	p.mu.Lock()
	defer p.mu.Unlock()
	p.desk.cancel(p.desk.Clock.Now(), &v.ticket, p)
	p.resize()
	v.state = outside
}
