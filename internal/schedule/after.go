package schedule

import (
	"github.com/headway-go/headway/internal/cost"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// This file has what a visit leaves behind once the caller has the response: an End for the body, a Trailer, and a Receipt
// for what is learned later.

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

// A Trailer is the rest of a visit whose response may report limits after its body. The visit's ticket is in it, so the
// report counts as one of the same request.
type Trailer struct {
	partition *Partition
	ticket    pacer.Ticket
	postponed bool
}

// Trailer returns the Trailer of a visit. It is called after Answered or Served, and before the visit begins again.
func (v *Visit) Trailer() Trailer {
	return Trailer{partition: v.partition, ticket: v.ticket, postponed: v.postponed}
}

// Partition returns the partition of the visit.
func (t *Trailer) Partition() *Partition { return t.partition }

// IsPostponed reports whether the partition waits for the end of the body to learn which limits apply to the request.
// Answered must then be called even if the trailer reports none.
func (t *Trailer) IsPostponed() bool { return t.postponed }

// Answered learns from a trailer that was received at now. a must not be a refusal; Answered sets its Indirect. A
// partition that was forgotten meanwhile learns nothing. Answered is called at most once.
func (t *Trailer) Answered(now pacer.Instant, a *pacer.Answer) {
	p := t.partition
	p.lock()
	defer p.mu.Unlock()
	if p.isForgotten.Load() {
		return
	}
	if len(a.Limits) > 0 {
		p.note().trailers = true
	}
	a.Indirect = !t.postponed // then the header has been counted as the answer already
	p.pacer.Answered(now, &t.ticket, a)
	p.learned(now)
}

// Most servers send no limits in trailers, and a response need not announce its trailer. To wait for one costs an
// allocation. So of the responses without an announcement the first ones are waited for, and then one in so many. More:
// slower. Fewer: the first trailers of a route may be missed.
const firstTrailers, oneTrailerIn = 16, 64

// readsTrailer reports whether to read the trailer that the response may have.
func (p *Partition) readsTrailer(v *Visit) bool {
	switch {
	case !v.MayHaveTrailer:
		return false
	case v.HasTrailer || p.notes != nil && p.notes.trailers:
		return true
	}
	if p.trailless++; p.trailless == firstTrailers+oneTrailerIn {
		p.trailless = firstTrailers
		return true
	}
	return p.trailless <= firstTrailers
}

// ReadsTrailer reports whether the caller has to read the trailer of the response, see Trailer. It is known after Answered
// or Served.
func (v *Visit) ReadsTrailer() bool { return v.readsTrailer }

// postpone reports whether a response's header says nothing about the limits that it does not report, because this
// server reports limits in trailers and the response may have one.
func (p *Partition) postpone(v *Visit, a *pacer.Answer) bool {
	v.postponed = v.readsTrailer && p.notes != nil && p.notes.trailers && !a.Indirect && !a.Refused
	return v.postponed
}

// A Receipt identifies a request whose response has come, for what is learned about limits only later. It must not be
// used concurrently.
type Receipt struct {
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
	return Receipt{partition: p, ticket: v.ticket, cost: v.cost, answered: p.now(), forgets: p.forgets()}
}

// Partition returns the partition of the request.
func (r *Receipt) Partition() *Partition { return r.partition }

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
