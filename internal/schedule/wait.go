package schedule

import (
	"context"

	"github.com/headway-go/headway/limits"
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
	v.ticket, v.state = *w.Value.ticket, sent
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
// begun since, or a response has named another unit, in which the request costs too much now. The token that the request
// has from c then goes to another one. If c is nil it has none.
func (v *Visit) rejoin(ctx context.Context, c *Ceiling) bool {
	p, keeps := v.partition, false
	if c != nil {
		defer func() {
			if !keeps { // also if the caller's code has panicked
				c.putBack()
			}
		}()
	}
	w, d := p.stopped(v, v.bound(ctx), v.reprice(p.units()))
	if w == nil {
		keeps = true
		return false
	}
	v.tell(p.dispatcher.Clock.Now(), d) // before requeue, as other waiters may then wait for this one's passOn
	p.requeue(v, w)
	return true
}

// reprice determines the cost of a granted request in units that have become known. It returns the cost before, or nil if
// nobody says more than that the request has some cost in these units.
func (v *Visit) reprice(units []limits.Unit) (before *pacer.Cost) {
	if v.isPricedIn(units) {
		return nil
	}
	before = new(v.cost)
	v.price(units)
	if before.Requests == v.cost.Requests && others(before) == others(&v.cost) {
		return nil
	}
	return before
}

// others are the costs in other units than requests.
func others(c *pacer.Cost) [pacer.MaxOthers]int64 {
	if c.Others == nil {
		return [...]int64{pacer.Unknown, pacer.Unknown, pacer.Unknown}
	}
	return *c.Others
}

// stopped returns a waiter for the request, and its Delay, if a hold applies to the request or it may not go at its cost.
// Otherwise it returns nil. before is the cost at which the request was granted, if that was another one.
func (p *Partition) stopped(v *Visit, b bound, before *pacer.Cost) (*waiter, Delay) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := &p.dispatcher
	now := d.Clock.Now()
	if !d.pacer.Stops(now, &v.ticket) && (before == nil || d.recharge(now, v, before, p)) {
		return nil, Delay{}
	}
	w := v.newWaiter(b, v.cost)
	w.Kind = d.kindOf(&w.Value.cost)
	delay := Delay{Queue: d.queue().Len() + 1, Resend: w.Resend}
	d.plan(now, w, &delay.Plan)
	return w, delay
}

// recharge charges a granted request its new cost instead of the one before. If the request may not go at that cost,
// recharge reports false and leaves it as it was.
func (d *dispatcher) recharge(now pacer.Instant, v *Visit, before *pacer.Cost, by waker) bool {
	d.pacer.Cancel(now, &v.ticket)
	if !d.pacer.Take(now, &v.cost, &v.ticket, new(pacer.Plan)) {
		d.pacer.Send(now, before, &v.ticket)
		return false
	}
	d.settle(now, by)
	return true
}

// requeue undoes the sending of a granted request that never reached the network, and queues w instead. Others get what
// that frees only after w, which keeps its turn.
func (p *Partition) requeue(v *Visit, w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := &p.dispatcher
	now := d.Clock.Now()
	d.pacer.Cancel(now, &v.ticket) // first, so that w is not planned behind itself
	d.used = now
	d.join(now, w, p)
	d.settle(now, p)
	d.wantPart()
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
