package schedule

import (
	"context"

	"github.com/headway-go/headway/pacer"
)

// A Response is what a partition has to know of a response besides what it says of limits.
type Response struct {
	BodyFollows bool // a body is still to be read
	Resend      bool // the request is to be sent again if it can start in time
	Failed      bool // a status of 500 or above: that it does not refuse means nothing
	Plain503    bool // it is a plain 503, which may refuse because of a limit, or not
}

// A Verdict is what became of a refused request.
type Verdict struct {
	Resend bool   // the request is queued to be sent again, see Again
	Delay  *Delay // how long that is going to take; nil if it is not queued

	HoldEnd pacer.Instant // the end of the hold that the answer set or lengthened; 0: it did neither
	IsNews  bool          // the hold is new, or at least twice as long
}

// Answered learns from the response to the request, and queues the request if it is to be sent again. ctx is the
// request's. The response was received at now. The verdict is nil unless the answer refuses or is taken for a refusal.
func (v *Visit) Answered(ctx context.Context, now pacer.Instant, a *pacer.Answer, r Response) (verdict *Verdict) {
	p := v.partition
	var w *waiter
	if r.Resend {
		v.isResend = true
		w = v.newWaiter(v.bound(ctx), v.cost)
	}
	p.lock()
	defer p.mu.Unlock()
	d := &p.dispatcher
	v.state = outside
	switch {
	case r.Plain503 && d.countsAsRefusal(now, v):
		bare := *a
		bare.Refused = true
		a = &bare
	case a.Refused || !r.Failed:
		d.compareTo503s(now, v, a.Refused)
	}
	if a.Refused {
		verdict = d.refused(now, v, a)
		now = d.Clock.Now() // GetBody may have taken some time
	} else {
		d.pacer.Answered(now, &v.ticket, a)
	}
	d.resize()
	if w != nil {
		d.again(now, v, w, verdict)
	}
	d.handOn(now, v, r.BodyFollows, p)
	return verdict
}

// Served learns from a response below 500 that tells nothing of limits. isIndirect is that of pacer.Answer. It does what
// Answered does, but reads the clock only where the time matters: reading it takes a tenth of what such a request costs.
func (v *Visit) Served(isIndirect, bodyFollows bool) {
	p := v.partition
	p.lock()
	defer p.mu.Unlock()
	d := &p.dispatcher
	v.state = outside
	now, a := max(v.Called, d.used), pacer.Answer{RetryAfter: pacer.Unknown, Indirect: isIndirect}
	if d.waiting != nil || !d.pacer.IsUnlimited() {
		now = d.Clock.Now()
	}
	d.compareTo503s(now, v, false)
	d.pacer.Answered(now, &v.ticket, &a)
	d.handOn(now, v, bodyFollows, p)
}

// handOn has the response go to the caller, and its place to the next request unless a body that follows keeps it.
func (d *dispatcher) handOn(now pacer.Instant, v *Visit, bodyFollows bool, by waker) {
	d.wantPart()
	if d.open(v, bodyFollows); v.placed {
		d.settle(now, by)
	} else {
		d.release(now, by)
	}
}

// refused applies an answer that refuses, and refuses those who cannot wait for the end of the hold that it sets.
func (d *dispatcher) refused(now pacer.Instant, v *Visit, a *pacer.Answer) *Verdict {
	verdict := &Verdict{}
	before := max(d.pacer.HeldUntil(&v.ticket), now)
	d.pacer.Answered(now, &v.ticket, a)
	d.note().throttled = now
	end := d.pacer.HeldUntil(&v.ticket)
	if end > before {
		verdict.HoldEnd, verdict.IsNews = end, end.Sub(now) >= 2*before.Sub(now)
	}
	if end > before.Add(replanAfter) {
		d.replan(d.Clock.Now())
	}
	return verdict
}

// again queues a refused request to be sent again, if it can start in time.
func (d *dispatcher) again(now pacer.Instant, v *Visit, w *waiter, verdict *Verdict) {
	var plan pacer.Plan
	if d.enqueue(now, w, &plan) {
		v.queued, v.state = w, queued
		verdict.Resend, verdict.Delay = true, &Delay{Plan: plan, Queue: d.queue().Len(), Resend: true}
	}
}

// open notes what the body of the response counts for, if one follows.
func (d *dispatcher) open(v *Visit, bodyFollows bool) {
	if v.placed, v.bytes = false, 0; bodyFollows {
		v.placed, v.bytes, v.forgets = d.pacer.HasConcurrencyLimit(), d.pacer.ByteLimits(&v.ticket), d.forgets()
	}
	v.isOpen = v.placed || v.bytes != 0
}

// Again returns once a request that is queued to be sent again may go to the wire. It returns what Enter does, but for
// ErrForgotten: a partition in which a request waits is not forgotten.
func (v *Visit) Again(ctx context.Context) (*Refusal, error) { return v.pass(ctx) }

// lost records that no response came.
func (v *Visit) lost() {
	p := v.partition
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.dispatcher.Clock.Now()
	p.dispatcher.pacer.Lost(now, &v.ticket)
	p.dispatcher.resize()
	p.dispatcher.release(now, p)
	v.state = outside
}

// Leave gives back whatever the visit still has: its place in the queue, or in flight. A request that
// was sent and not answered counts as lost. It may be called at any time, and again.
func (v *Visit) Leave() {
	switch v.state {
	case queued:
		v.partition.leave(v.queued)
	case sent:
		v.lost()
	}
	if v.isOpen {
		v.End().Done(0)
	}
	v.queued, v.state = nil, outside
}

// An End is what is left of a visit once the response is handed on: a place in flight that is taken until the body is
// over, or bytes that count.
type End struct {
	partition *Partition
	bytes     pacer.LimitSet
	forgets   int // of the partition, when bytes was had
	placed    bool
}

// End takes over what is left to do from the visit, to which nothing remains to be given back.
func (v *Visit) End() End {
	v.isOpen = false
	return End{partition: v.partition, bytes: v.bytes, forgets: v.forgets, placed: v.placed}
}

// Done records that the response's body is over, after so many bytes. It is called once.
func (e End) Done(length int64) {
	e.partition.mu.Lock()
	defer e.partition.mu.Unlock()
	d := &e.partition.dispatcher
	if e.forgets == d.forgets() {
		d.pacer.Transferred(e.bytes, length)
	}
	if e.placed {
		d.release(d.Clock.Now(), e.partition)
	}
}
