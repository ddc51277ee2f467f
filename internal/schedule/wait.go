package schedule

import (
	"context"

	"github.com/headway-go/headway/pacer"
)

// pass waits until the request may be sent: for its turn, then for the Ceiling. A request that rejoins the queue waits for
// both once more.
func (v *Visit) pass(ctx context.Context) (*Refusal, error) {
	for {
		isBack := false // in the queue
		if v.state == queued {
			if refusal, err := v.turn(ctx); refusal != nil || err != nil {
				return refusal, err
			}
			isBack = v.rejoin(ctx, nil)
		}
		if c := v.partition.dispatcher.Ceiling; !isBack && c != nil && !v.partition.dispatcher.Shadow {
			waited, refusal, err := c.take(ctx, v)
			if refusal != nil || err != nil {
				v.cancel()
				return refusal, err
			}
			isBack = waited && v.rejoin(ctx, c)
		}
		if !isBack {
			return nil, nil
		}
	}
}

// turn waits until the partition grants the request.
func (v *Visit) turn(ctx context.Context) (*Refusal, error) {
	w, p := v.queued, v.partition
	if err := decision(ctx, CancelOf(v.Price.Request), w); err != nil && p.leave(w) {
		v.queued, v.state = nil, outside
		return nil, err
	}
	v.queued, v.state = nil, outside
	if w.Value.refusal != nil {
		return w.Value.refusal, nil
	}
	v.ticket, v.state = w.Value.ticket, sent
	p.passOn(w)
	if now := p.dispatcher.Clock.Now(); w.Resend && now > w.Value.bound.latest { // reading its last response took too long
		v.cancel()
		return w.Value.bound.refusal(now, &pacer.Plan{At: now}), nil
	}
	return nil, nil
}

// passOn grants the next waiter. A granted waiter calls it before it goes on. So waiters that may go at the same time
// start in order, and no goroutine holds the lock while all of them are granted.
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

// leave removes w, whose request has ended. It reports false if w was refused at the same instant.
func (p *Partition) leave(w *waiter) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.dispatcher.resize()
	return p.dispatcher.leave(p.dispatcher.Clock.Now(), w, p)
}

// rejoin puts a granted request back into the queue if it must not go yet, and reports whether it did. Either a hold has
// begun since, or a response has named another unit, in which the request has no price yet. The token that the request has
// from c goes to another one. If c is nil it has none.
func (v *Visit) rejoin(ctx context.Context, c *Ceiling) bool {
	p := v.partition
	units := p.units()
	isRepriced := !v.isPricedIn(units)
	if isRepriced {
		v.price(units)
	}
	w, d := p.stopped(v, v.bound(ctx), isRepriced)
	if w == nil {
		return false
	}
	if c != nil {
		c.putBack()
	}
	v.tell(p.dispatcher.Clock.Now(), d) // before requeue, as other waiters may then wait for this one's passOn
	p.requeue(v, w)
	return true
}

// stopped returns a waiter for a granted request that must not go yet, and its Delay: a hold applies to it, or its price is
// another one now. If the request may go the waiter is nil.
func (p *Partition) stopped(v *Visit, b bound, isRepriced bool) (*waiter, Delay) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := &p.dispatcher
	now := d.Clock.Now()
	if !isRepriced && !d.pacer.Stops(now, &v.ticket) {
		return nil, Delay{}
	}
	w := v.newWaiter(b, v.cost)
	w.Kind = d.kindOf(&w.Value.cost)
	delay := Delay{Queue: d.queue().Len() + 1, Resend: w.Resend}
	d.plan(now, w, &delay.Plan)
	return w, delay
}

// requeue undoes the sending of a granted request that never reached the network, and queues w instead.
func (p *Partition) requeue(v *Visit, w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.dispatcher.Clock.Now()
	p.dispatcher.cancel(now, &v.ticket, p) // first, so that w is not planned behind itself
	p.dispatcher.join(now, w, p)
	p.dispatcher.wantPart()
	v.queued, v.state = w, queued
}

// cancel undoes the sending of the request, which never reached the network.
func (v *Visit) cancel() {
	p := v.partition
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dispatcher.cancel(p.dispatcher.Clock.Now(), &v.ticket, p)
	p.dispatcher.resize()
	v.state = outside
}
