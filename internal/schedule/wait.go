package schedule

import (
	"cmp"
	"context"

	"github.com/headway-go/headway/pacer"
)

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
		if c := v.partition.dispatcher.Ceiling; !isHeld && c != nil && !v.partition.dispatcher.Shadow {
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
	if w.Value.refusal != nil {
		return w.Value.refusal, nil
	}
	v.ticket, v.state = w.Value.ticket, sent
	p.passOn(w)
	if now := p.dispatcher.Clock.Now(); w.Resend && now > w.Value.bound.latest { // it was busy with its last response
		v.cancel()
		return w.Value.bound.refusal(now, &pacer.Plan{At: now}), nil
	}
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
	if p.dispatcher.waiting != nil {
		p.dispatcher.waiting.passing = false
		p.dispatcher.settle(p.dispatcher.Clock.Now(), p)
	}
}

// leave takes back w, whose context has ended. It reports false if w was refused in the same instant.
func (p *Partition) leave(w *waiter) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.dispatcher.resize()
	return p.dispatcher.leave(p.dispatcher.Clock.Now(), w, p)
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
	v.tell(p.dispatcher.Clock.Now(), d) // first, as others may wait for this one to pass on once it is queued
	p.requeue(v, w)
	return true
}

// held returns an entry for the request and how long it would wait if a hold keeps back requests like it; else nil.
func (p *Partition) held(ctx context.Context, v *Visit) (*waiter, Delay) {
	b := v.bound(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	d := &p.dispatcher
	now := d.Clock.Now()
	if !d.pacer.Stops(now, &v.ticket) {
		return nil, Delay{}
	}
	w := v.newWaiter(b, v.cost)
	w.Kind = d.kindOf(&w.Value.cost)
	delay := Delay{Queue: d.queue().Len() + 1, Resend: w.Resend}
	d.plan(now, w, &delay.Plan)
	return w, delay
}

// requeue takes back a request that was let go and never reached the wire, and has w wait in its place.
func (p *Partition) requeue(v *Visit, w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.dispatcher.Clock.Now()
	p.dispatcher.cancel(now, &v.ticket, p) // first, for w is not to be planned behind itself
	p.dispatcher.join(now, w, p)
	p.dispatcher.wantPart()
	v.queued, v.state = w, queued
}

// cancel takes back the request, which never reached the wire.
func (v *Visit) cancel() {
	p := v.partition
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dispatcher.cancel(p.dispatcher.Clock.Now(), &v.ticket, p)
	p.dispatcher.resize()
	v.state = outside
}
