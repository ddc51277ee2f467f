package schedule

import (
	"context"
	"errors"

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
	var w *waiter // nil: the request may go at once, for all that is known
	for {
		var d Delay
		for !p.try(v, w, &d) {
			v.price(p.units())
		}
		switch isEarly := d.Queue > 0; { // try counts the queue only for a request that is too early
		case isEarly:
		case v.state == sent:
			return nil, nil
		case v.state == outside:
			return nil, ErrForgotten
		default:
			return v.proceed(ctx)
		}
		w = v.newWaiter(v.bound(ctx), v.cost)
		switch {
		case !w.Value.bound.excludes(&d.Plan):
			v.watch(v.Called, d) // before the request is queued, as others may then wait for its passOn
		case v.state == sent:
			return w.Value.bound.refusal(v.Called, &d.Plan), nil
		}
		if v.state == sent {
			return nil, nil
		}
	}
}

// Again waits until a request that Answered has queued may be sent. It returns what Enter does, except ErrForgotten: no
// partition is forgotten while a request waits in it.
func (v *Visit) Again(ctx context.Context) (*Refusal, error) { return v.proceed(ctx) }

// proceed moves a visit on until the request may be sent, or is refused or ends.
func (v *Visit) proceed(ctx context.Context) (refusal *Refusal, err error) {
	for refusal == nil && err == nil {
		switch v.state {
		case queued:
			refusal, err = v.turn(ctx)
		case granted:
			refusal = v.toCeiling(ctx)
		case atCeiling:
			refusal, err = v.token(ctx)
		default:
			return nil, nil
		}
	}
	return refusal, err
}

// await waits for the decision on the visit's place in a queue. It leaves if the request is refused or ends. If both happen
// at the same instant, the refusal counts.
func (v *Visit) await(ctx context.Context) (*Refusal, error) {
	w := v.waiter
	err := decision(ctx, CancelOf(v.Price.Request), w)
	if err != nil || w.Value.refusal != nil {
		v.Leave()
	}
	v.Cause, v.Policy = w.Value.cause, w.Value.policy
	if w.Value.refusal != nil {
		return w.Value.refusal, nil
	}
	return nil, err
}

// turn moves a queued visit on: the partition grants or refuses it, or the request ends.
func (v *Visit) turn(ctx context.Context) (*Refusal, error) {
	w, p := v.waiter, v.partition
	if refusal, err := v.await(ctx); refusal != nil || err != nil {
		return refusal, err
	}
	v.ticket, v.waiter, v.state = *w.Value.ticket, nil, granted
	p.passOn(w)
	if now := p.now(); w.Resend && now > w.Value.bound.latest { // reading its last response took too long
		v.Leave()
		return w.Value.bound.refusal(now, &pacer.Plan{At: now}), nil
	}
	v.confirm(w.Value.bound)
	return nil, nil
}

// allowed is the state of a visit that no limit of the partition delays.
func (p *Partition) allowed() state {
	if p.settings.Ceiling == nil || p.settings.Shadow {
		return sent
	}
	return granted
}

// toCeiling moves a granted visit on: it is sent if it needs no token or one is there, waits for a token, or is refused.
func (v *Visit) toCeiling(ctx context.Context) *Refusal {
	p := v.partition
	if v.state = p.allowed(); v.state == sent {
		return nil
	}
	c := p.settings.Ceiling
	w := v.newWaiter(v.bound(ctx), pacer.Cost{Requests: 1})
	at, waits := c.join(w)
	switch {
	case waits:
		v.waiter, v.state = w, atCeiling
		p.countAtCeiling(1)
		v.watch(p.now(), Delay{Plan: ceilingPlan(at), Resend: v.isResend})
		return nil
	case w.Value.refusal != nil:
		v.Leave()
		return w.Value.refusal
	}
	v.state = sent
	return nil
}

// token moves a visit at the Ceiling on: it gets a token or is refused, or the request ends.
func (v *Visit) token(ctx context.Context) (*Refusal, error) {
	b := v.waiter.Value.bound
	b.ceiling = false
	if refusal, err := v.await(ctx); refusal != nil || err != nil {
		return refusal, err
	}
	if !v.confirm(b) {
		v.partition.countAtCeiling(-1)
		v.waiter, v.state = nil, sent
	}
	return nil, nil
}

// leaveCeiling moves a visit at the Ceiling back to granted. Its place or its token goes to another request.
func (v *Visit) leaveCeiling() {
	v.partition.settings.Ceiling.leave(v.waiter)
	v.partition.countAtCeiling(-1)
	v.waiter, v.state = nil, granted
}

// confirm moves a visit that has waited back to the queue if it must not go yet, and reports whether it did. Either a hold
// has begun since the grant, or a response has named another unit, in which the request costs too much now.
func (v *Visit) confirm(b bound) (isBack bool) {
	p := v.partition
	w, d := p.stopped(v, b, v.reprice(p.units()))
	if w == nil {
		return false
	}
	if v.state == atCeiling {
		v.leaveCeiling()
	}
	v.watch(p.now(), d) // before requeue, as other waiters may then wait for this one's passOn
	p.requeue(v, w)
	return true
}

// A Response is what a partition needs to know of a response besides the limits that it reports.
type Response struct {
	BodyFollows bool // the caller has yet to read a body
	Resend      bool // the request is to be sent again if it can start in time
}

// Answered learns from the response, which was received at now. If the request is to be sent again, Answered queues it.
// ctx is the request's. The verdict is nil unless the response counts as a refusal.
func (v *Visit) Answered(ctx context.Context, now pacer.Instant, a *pacer.Answer, r Response) (verdict *Verdict) {
	p := v.partition
	var w *waiter
	if r.Resend {
		v.isResend = true
		w = v.newWaiter(v.bound(ctx), v.cost)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	v.state = answered
	verdict, now = p.learn(now, v, a)
	if w != nil {
		p.queueAgain(now, v, w, verdict)
	}
	p.handOn(now, v, r.BodyFollows)
	return verdict
}

// Served is a fast Answered for a response below 500 that reports no limit. isIndirect is pacer.Answer's Indirect. Served
// reads the clock only where the time matters, as one reading costs a tenth of such a request.
func (v *Visit) Served(isIndirect, bodyFollows bool) {
	p := v.partition
	p.mu.Lock()
	defer p.mu.Unlock()
	v.state = answered
	now, a := max(v.Called, p.used), pacer.Answer{RetryAfter: pacer.Unknown, Indirect: isIndirect}
	if p.waiting != nil || !p.pacer.IsUnlimited() {
		now = p.now()
	}
	p.pacer.Answered(now, &v.ticket, &a)
	p.handOn(now, v, bodyFollows)
}

// End moves what is left to do from the visit to an End. Leave then has nothing more to give back for the body.
func (v *Visit) End() (e End) {
	e, v.body = v.body, End{}
	if v.state == answered {
		v.state = outside
	}
	return e
}

// Leave gives back what the visit still holds. A request that was sent and got no response counts as lost. Leave may be
// called at any time, and more than once.
func (v *Visit) Leave() {
	p := v.partition
	switch v.state {
	case queued:
		p.leave(v.waiter)
	case granted:
		p.cancel(&v.ticket)
	case atCeiling:
		v.leaveCeiling()
		p.cancel(&v.ticket)
	case sent:
		p.lost(&v.ticket)
	}
	if v.IsOpen() {
		v.End().Done(0)
	}
	v.waiter, v.state = nil, outside
}
