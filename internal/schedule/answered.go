package schedule

import (
	"context"

	"github.com/headway-go/headway/pacer"
)

// A Response is what a partition needs to know of a response besides the limits that it reports.
type Response struct {
	BodyFollows bool // the caller has yet to read a body
	Resend      bool // the request is to be sent again if it can start in time
	Failed      bool // the status is 500 or above, so the response is no proof that a limit allowed the request
	Plain503    bool // see plain503s
}

// A Verdict says what happens to a refused request, and which hold the refusal caused.
type Verdict struct {
	Resend bool   // the request is queued to be sent again, see Again
	Delay  *Delay // its wait; nil if it is not queued

	HoldEnd pacer.Instant // the end of the hold that the response began or extended; 0: it did neither
	IsNews  bool          // the hold is new, or lasts at least twice as long as before
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
	v.isWatched = d.readsTrailer(v)
	if d.postpone(v, a) {
		late := *a
		late.Indirect = true
		a = &late
	}
	if verdict = d.answered(now, &v.ticket, a); verdict != nil {
		now = d.Clock.Now() // GetBody may have taken some time
	}
	d.resize()
	if w != nil {
		d.again(now, v, w, verdict)
	}
	d.handOn(now, v, r.BodyFollows, p)
	return verdict
}

// Served is a fast Answered for a response below 500 that reports no limit. isIndirect is pacer.Answer's Indirect. Served
// reads the clock only where the time matters, as one reading costs a tenth of such a request.
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
	v.isWatched = d.readsTrailer(v)
	a.Indirect = a.Indirect || d.postpone(v, &a)
	d.pacer.Answered(now, &v.ticket, &a)
	d.handOn(now, v, bodyFollows, p)
}

// handOn ends the part of the visit before the body. The next request gets this one's place in flight, unless the body
// occupies the place until it ends.
func (d *dispatcher) handOn(now pacer.Instant, v *Visit, bodyFollows bool, by waker) {
	d.wantPart()
	if v.placed, v.bytes, v.isOpen = false, 0, false; bodyFollows {
		d.open(v)
	}
	if v.placed {
		d.settle(now, by)
	} else {
		d.release(now, by)
	}
}

// answered learns from a response to a request with that ticket. The verdict is nil unless it is a refusal.
func (d *dispatcher) answered(now pacer.Instant, t *pacer.Ticket, a *pacer.Answer) *Verdict {
	if a.Refused {
		return d.refused(now, t, a)
	}
	d.pacer.Answered(now, t, a)
	return nil
}

// refused learns from a refusal. If the refusal extends a hold, refused also turns away the waiters that cannot wait for
// the end of the hold.
func (d *dispatcher) refused(now pacer.Instant, t *pacer.Ticket, a *pacer.Answer) *Verdict {
	verdict := &Verdict{}
	before := max(d.pacer.HeldUntil(t), now)
	d.pacer.Answered(now, t, a)
	d.note().throttled = now
	end := d.pacer.HeldUntil(t)
	if end > before {
		verdict.HoldEnd, verdict.IsNews = end, end.Sub(now) >= 2*before.Sub(now)
	}
	if end > before.Add(replanAfter) {
		d.replan(d.Clock.Now())
	}
	return verdict
}

// again queues a refused request once more, if it can start in time.
func (d *dispatcher) again(now pacer.Instant, v *Visit, w *waiter, verdict *Verdict) {
	var plan pacer.Plan
	if d.enqueue(now, w, &plan) {
		v.queued, v.state = w, queued
		verdict.Resend, verdict.Delay = true, &Delay{Plan: plan, Queue: d.queue().Len(), Resend: true}
	}
}

// open notes which limits the body of the response affects: on bytes, and on concurrent requests.
func (d *dispatcher) open(v *Visit) {
	v.placed, v.bytes, v.forgets = d.pacer.HasConcurrencyLimit(), d.pacer.ByteLimits(&v.ticket), d.forgets()
	if v.placed {
		d.note().open++
	}
	v.isOpen = v.placed || v.bytes != 0
}

// Again waits until a request that Answered has queued may be sent. It returns what Enter does, except ErrForgotten: no
// partition is forgotten while a request waits in it.
func (v *Visit) Again(ctx context.Context) (*Refusal, error) { return v.pass(ctx) }

// lost records that the request got no response.
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

// Leave gives back what the visit still holds: a place in the queue or in flight. A request that was sent and got no
// response counts as lost. Leave may be called at any time, and more than once.
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

// An End is the rest of a visit after the caller has the response: the body may still occupy a place in flight, and its
// bytes may count against a limit.
type End struct {
	partition *Partition
	bytes     pacer.LimitSet
	forgets   int // the partition's forgets when bytes was determined
	placed    bool
}

// End moves what is left to do from the visit to an End. Leave then has nothing more to give back for the body.
func (v *Visit) End() End {
	v.isOpen = false
	return End{partition: v.partition, bytes: v.bytes, forgets: v.forgets, placed: v.placed}
}

// Done records that the response's body has ended after length bytes. It must be called once. The Done of a zero End does
// nothing.
func (e End) Done(length int64) {
	if e.partition == nil {
		return
	}
	e.partition.mu.Lock()
	defer e.partition.mu.Unlock()
	d := &e.partition.dispatcher
	if e.forgets == d.forgets() {
		d.pacer.Transferred(e.bytes, length)
	}
	if e.placed {
		d.notes.open--
		d.release(d.Clock.Now(), e.partition)
	}
}
