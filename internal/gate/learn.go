package gate

import (
	"cmp"
	"context"
	"time"

	"github.com/headway-go/headway/pacer"
)

// replanAfter is by how much a hold must grow before all waiters are planned again. Refusals that arrive together extend
// the hold by a few milliseconds each, and planning 10,000 waiters for each of them would take long.
const replanAfter = 100 * time.Millisecond

// A Response is what a partition needs to know of a response besides the limits that it reports.
type Response struct {
	BodyFollows bool   // the caller has yet to read a body
	Resend      bool   // the request is to be sent again if it can start in time
	IsFinal     bool   // it refuses the request for good, so it is not an Answer that refuses
	Sign        string // what shows that; "" if nothing does
}

// A Verdict says what happens to a refused request, and which hold the refusal caused.
type Verdict struct {
	Wait *Wait // of a request that is queued to be sent again, see Proceed; nil: it is not queued

	HoldEnd pacer.Instant // the end of the hold that the response began or extended; 0: it did neither
	IsNews  bool          // the hold is new, or lasts at least twice as long as before; or the first final refusal in a row
}

// Answered learns from the response, which was received at now. 0 means that it was received just now; then the clock is
// read only where the time matters, as one reading costs a tenth of a request. If the request is to be sent again, Answered
// queues it. ctx is the request's. The verdict is nil unless the response refuses the request.
func (v *Visit) Answered(ctx context.Context, now pacer.Instant, a *pacer.Answer, r Response) (verdict *Verdict) {
	p := v.partition
	var w *waiter
	if r.Resend {
		v.isResend = true
		v.bind(ctx)
		w = v.newWaiter()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	v.state = outside
	if now == 0 && (!p.queue.isEmpty() || !p.pacer.IsUnlimited()) {
		now = p.now()
	}
	now = p.notBefore(max(now, v.Called, p.used))
	switch verdict = p.answered(now, &v.ticket, a); {
	case verdict != nil:
		now = p.now() // GetBody may have taken some time
	case r.IsFinal:
		verdict, p.final = &Verdict{IsNews: p.final == ""}, cmp.Or(r.Sign, "status")
	case !a.Indirect:
		p.final = ""
	}
	if w != nil {
		wait := Wait{Plan: p.plan(now, w), Now: now, Queue: p.queue.len() + 1, Resend: true}
		if !w.isLate(&wait) {
			p.enqueue(w, &wait.Plan)
			v.waiter, v.state, verdict.Wait = w, queued, &wait
		}
	}
	p.wantPart()
	if v.body = (End{}); r.BodyFollows {
		p.open(v)
	}
	if v.body.placed { // until the body ends
		p.settle(now)
	} else {
		p.release(now)
	}
	return verdict
}

// answered learns from a response to a request with that ticket. The verdict is nil unless it is a refusal. If the refusal
// extends a hold, answered turns away the waiters that cannot wait for the end of the hold.
func (p *Partition) answered(now pacer.Instant, t *pacer.Ticket, a *pacer.Answer) *Verdict {
	if !a.Refused {
		p.pacer.Answered(now, t, a)
		return nil
	}
	verdict := &Verdict{}
	before := max(p.pacer.HeldUntil(t), now)
	p.pacer.Answered(now, t, a)
	p.throttled = now
	end := p.pacer.HeldUntil(t)
	if end > before {
		verdict.HoldEnd, verdict.IsNews = end, end.Sub(now) >= 2*before.Sub(now)
	}
	if end > before.Add(replanAfter) {
		p.replan(p.now())
	}
	return verdict
}

// release frees the place in flight of a request that has ended.
func (p *Partition) release(now pacer.Instant) {
	p.pacer.Release()
	p.used = now
	p.settle(now)
}
