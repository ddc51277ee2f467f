package schedule

import (
	"github.com/headway-go/headway/internal/cost"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// This file has what a visit leaves behind once the caller has the response: an End for the body, and a Receipt for what is
// learned later.

// An End is the rest of a visit after the caller has the response: the body may still occupy a place in flight, and its
// bytes may count against a limit. The zero End is of a body that matters to no limit.
type End struct {
	partition *Partition
	bytes     pacer.LimitSet // the limits that the length of the body counts against
	forgets   int            // the partition's forgets when bytes was determined
	placed    bool           // the place in flight is taken until the body ends
}

// Done records that the response's body has ended after length bytes. It must be called once. The Done of a zero End does
// nothing.
func (e End) Done(length int64) {
	p := e.partition
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.forgets == p.forgets() {
		p.pacer.Transferred(e.bytes, length)
	}
	if e.placed {
		p.notes.open--
		p.release(p.now())
	}
}

// open notes which limits the body of the response affects: on bytes, and on concurrent requests.
func (p *Partition) open(v *Visit) {
	e := End{partition: p, bytes: p.pacer.ByteLimits(&v.ticket), forgets: p.forgets(), placed: p.pacer.HasConcurrencyLimit()}
	if e.placed {
		p.note().open++
	}
	if e.placed || e.bytes != 0 {
		v.body = e
	}
}

// A Receipt identifies a request whose response has come, for what is learned about limits only later. It must not be
// used concurrently.
type Receipt struct {
	HasTrailers bool // trailers of earlier responses have reported limits

	partition *Partition
	ticket    pacer.Ticket
	cost      pacer.Cost
	answered  pacer.Instant // just before the response was applied
	forgets   int           // the partition's forgets at that time
}

// Receipt returns the receipt of a request that was sent. It is called before Answered or Served.
func (v *Visit) Receipt() Receipt {
	p := v.partition
	p.lock()
	defer p.mu.Unlock()
	return Receipt{HasTrailers: p.trailers, partition: p, ticket: v.ticket, cost: v.cost, answered: p.now(), forgets: p.forgets()}
}

// Partition returns the partition of the request.
func (r *Receipt) Partition() *Partition { return r.partition }

// Answered learns from the trailer of the response, which is no refusal. A partition that was forgotten meanwhile learns
// nothing.
func (r *Receipt) Answered(a *pacer.Answer) {
	p := r.partition
	p.lock()
	defer p.mu.Unlock()
	if p.isForgotten.Load() {
		return
	}
	now := p.now()
	p.trailers = p.trailers || len(a.Limits) > 0
	p.pacer.Answered(now, &r.ticket, a)
	p.learned(now)
}

// Report applies what was learned after the response: first a, as if a free request had been answered so, and then the
// real costs. While everything is held, only a refusal counts. The verdict is nil unless a refuses. ok is false if the
// partition has forgotten the request.
func (r *Receipt) Report(a *pacer.Answer, costs map[limits.Unit]int64) (now pacer.Instant, verdict *Verdict, ok bool) {
	p := r.partition
	p.lock()
	defer p.mu.Unlock()
	now = p.now()
	if p.isForgotten.Load() || r.forgets != p.forgets() {
		return now, nil, false
	}
	if !a.Refused && p.pacer.State(now).HeldUntil > now {
		return now, nil, true
	}
	if a.Refused || len(a.Limits) > 0 {
		var later pacer.Ticket // than those of the requests whose responses may still come
		p.pacer.Charge(now, &pacer.Cost{Others: new([pacer.MaxOthers]int64), Route: r.cost.Route, Key: r.cost.Key}, &later)
		verdict = p.answered(now, &later, a)
	}
	if real, isWrong := r.corrected(now, costs); isWrong {
		p.pacer.Charge(now, &real, &r.ticket)
		r.cost = real
	}
	p.learned(now)
	return now, verdict, true
}

// learned updates the partition after something was learned from elsewhere than the header of a response.
func (p *Partition) learned(now pacer.Instant) {
	p.used = now
	p.wantPart()
	p.settle(now)
}

// corrected returns what the request is to be charged in place of the cost that was reserved for it.
func (r *Receipt) corrected(now pacer.Instant, costs map[limits.Unit]int64) (c pacer.Cost, isWrong bool) {
	if len(costs) == 0 {
		return c, false
	}
	p := &r.partition.pacer
	return cost.Correct(&r.cost, p.Units(), costs, cost.NewProgress(now, r.answered, p.State(now).Limits))
}
