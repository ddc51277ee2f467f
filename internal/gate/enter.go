package gate

import (
	"cmp"
	"context"
	"errors"

	"github.com/headway-go/headway/pacer"
)

// ErrForgotten says that the registry has dropped the partition. The caller has to look up its key again.
var ErrForgotten = errors.New("gate: the partition was forgotten")

// Enter waits until the request may be sent. Then the caller sends it and calls Answered or Leave. If the request could not
// start in time, Enter returns the wait that is too long, and there is nothing to give back. In shadow mode the caller
// sends the request nevertheless.
//
// Errors: ErrForgotten, or the cause of the end of ctx.
func (p *Partition) Enter(ctx context.Context, v *Visit) (*Wait, error) {
	v.partition = p
	v.price(nil) // most servers count requests alone
	goes := p.try(v) || v.reprice() && p.try(v)
	if v.state != sent {
		v.bind(ctx)
	}
	if !goes {
		var wait Wait
		for !p.join(v, &wait) {
			if !v.reprice() {
				return nil, ErrForgotten
			}
		}
		if refusal := v.begin(&wait); refusal != nil {
			return refusal, nil
		}
	}
	return v.Proceed(ctx)
}

// begin tells the Watcher that a visit waits, or returns the wait if that is too long.
func (v *Visit) begin(wait *Wait) *Wait {
	switch {
	case v.state == outside || v.bound.excludes(&wait.Plan):
		return v.bound.refusal(*wait)
	case wait.At > wait.Now || wait.Queue > 1:
		v.watch(wait)
	}
	return nil
}

// Proceed waits until the request may be sent, also again after Answered. It returns what Enter does, except ErrForgotten: no
// partition is forgotten while a request waits in it.
func (v *Visit) Proceed(ctx context.Context) (refusal *Wait, err error) {
	for refusal == nil && err == nil {
		switch v.state {
		case queued:
			refusal, err = v.turn(ctx)
		case granted:
			refusal, err = v.token(ctx)
		default:
			return nil, nil
		}
	}
	v.Leave()
	return refusal, err
}

// turn moves a queued visit on: the partition grants or refuses it, or the request ends. If the request is refused and ends
// at the same instant, the refusal counts.
func (v *Visit) turn(ctx context.Context) (*Wait, error) {
	p, w := v.partition, v.waiter
	_, err := pause(ctx, w.decided, nil)
	if err = cmp.Or(err, context.Cause(ctx)); err != nil {
		v.Leave() // from now on nobody refuses w
	}
	v.Cause, v.Policy = w.cause, w.policy
	switch {
	case w.refusal != nil:
		return w.refusal, nil
	case err != nil:
		return nil, err
	}
	v.ticket, v.waiter, v.state = *w.ticket, nil, granted
	if now := p.settings.Clock.Now(); w.resend && now > w.bound.latest { // reading its last response took too long
		return w.bound.refusal(Wait{Plan: pacer.Plan{At: now}, Now: now}), nil
	}
	return v.confirm(), nil
}

// token moves a granted visit on: it is sent if there is no Ceiling, or once it has a token.
func (v *Visit) token(ctx context.Context) (*Wait, error) {
	p := v.partition
	if p.settings.Ceiling == nil {
		v.state = sent
		return nil, nil
	}
	hasWaited, refusal, err := v.take(ctx)
	isHeld := errors.Is(err, errHeld)
	if refusal != nil || err != nil && !isHeld {
		return refusal, err
	}
	if hasWaited {
		refusal = v.confirm()
	}
	if v.state == granted && !isHeld {
		v.state = sent
	}
	return refusal, nil
}

// take takes a token of the Ceiling. The error may be errHeld.
func (v *Visit) take(ctx context.Context) (hasWaited bool, refusal *Wait, err error) {
	p := v.partition
	defer func() {
		if hasWaited {
			p.countAtCeiling(-1)
		}
	}()
	begins := func(w *Wait) {
		hasWaited = true
		p.countAtCeiling(1)
		w.Resend = v.isResend
		v.watch(w)
	}
	isStopped := func() bool { // by a hold
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.pacer.Stops(p.now(), &v.ticket)
	}
	refusal, err = p.settings.Ceiling.take(ctx, v.bound, begins, isStopped)
	return hasWaited, refusal, err
}

// confirm moves a granted visit back to the queue if it must not go yet. Either a hold has begun since the grant, or a
// response has named another unit, in which the request costs too much now.
func (v *Visit) confirm() *Wait {
	var wait Wait
	if !v.partition.takeBack(v, v.reprice(), &wait) {
		return nil
	}
	return v.begin(&wait)
}

// Leave gives back what the visit still holds. A request that was sent and got no response counts as lost. Leave may be
// called at any time, and more than once.
func (v *Visit) Leave() {
	if v.state != outside {
		v.partition.leave(v)
	}
	v.End().Done(0)
}

// leave gives back a place in the queue or a ticket. If the request was granted at the same instant as it ended, leave
// undoes the grant. If it was refused, there is nothing to undo.
func (p *Partition) leave(v *Visit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	switch w := v.waiter; {
	case v.state == sent:
		p.pacer.Lost(now, &v.ticket)
		p.pacer.Release()
	case v.state == granted:
		p.pacer.Cancel(now, &v.ticket)
	case w.line != nil:
		p.queue.remove(w)
	case w.ticket != nil:
		p.pacer.Cancel(now, w.ticket)
	}
	p.used, v.waiter, v.state = now, nil, outside
	p.settle(now)
}
