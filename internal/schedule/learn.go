package schedule

import (
	"time"

	"github.com/headway-go/headway/pacer"
)

// replanAfter is by how much a hold must grow before all waiters are planned again. Refusals that arrive together extend
// the hold by a few milliseconds each, and planning 10,000 waiters for each of them would take long.
const replanAfter = 100 * time.Millisecond

// A Verdict says what happens to a refused request, and which hold the refusal caused.
type Verdict struct {
	Resend bool   // the request is queued to be sent again, see Again
	Delay  *Delay // its wait; nil if it is not queued

	HoldEnd pacer.Instant // the end of the hold that the response began or extended; 0: it did neither
	IsNews  bool          // the hold is new, or lasts at least twice as long as before
}

// learn learns from the response to a visit, which was received at now. It returns the time after that. The verdict is nil
// unless the response counts as a refusal.
func (p *Partition) learn(now pacer.Instant, v *Visit, a *pacer.Answer) (*Verdict, pacer.Instant) {
	if verdict := p.answered(now, &v.ticket, a); verdict != nil {
		return verdict, p.now() // GetBody may have taken some time
	}
	return nil, now
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

// handOn ends the part of the visit before the body. The next request gets this one's place in flight, unless the body
// occupies the place until it ends.
func (p *Partition) handOn(now pacer.Instant, v *Visit, bodyFollows bool) {
	p.wantPart()
	if v.body = (End{}); bodyFollows {
		p.open(v)
	}
	if v.body.placed {
		p.settle(now)
	} else {
		p.release(now)
	}
}

// lost records that a request got no response.
func (p *Partition) lost(t *pacer.Ticket) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	p.pacer.Lost(now, t)
	p.release(now)
}

// release frees the place in flight of a request that has ended.
func (p *Partition) release(now pacer.Instant) {
	p.pacer.Release()
	p.used = now
	p.settle(now)
}
