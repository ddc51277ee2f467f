package schedule

import (
	"context"

	"github.com/headway-go/headway/pacer"
)

// pass waits until the request may be sent: for its turn, then for the Ceiling. It waits for its turn once more if
// rejoin says so.
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

// turn waits until the partition grants the request.
func (v *Visit) turn(ctx context.Context) (*Refusal, error) {
	w, p := v.queued, v.partition
	if err := decision(ctx, v.cancelled(), w); err != nil && p.leave(w) {
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

// rejoin puts the request back into the queue if it must not go as it was granted. Either a hold has begun since, or a
// response has named another unit, in which the request's cost was unknown. rejoin then returns the token of c, unless c
// is nil.
func (v *Visit) rejoin(ctx context.Context, c *Ceiling) bool {
	p := v.partition
	units := p.units()
	isPriced := v.isPricedIn(units)
	if !isPriced {
		v.price(units)
	}
	w, d := p.stopped(ctx, v, isPriced)
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

// stopped returns a waiter for the request, and its Delay, if a hold applies to the request or it was granted at another
// cost. Otherwise it returns nil.
func (p *Partition) stopped(ctx context.Context, v *Visit, isPriced bool) (*waiter, Delay) {
	b := v.bound(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	d := &p.dispatcher
	now := d.Clock.Now()
	if isPriced && !d.pacer.Stops(now, &v.ticket) {
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
