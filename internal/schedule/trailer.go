package schedule

import "github.com/headway-go/headway/pacer"

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
	p.used = now
	p.pacer.Answered(now, &t.ticket, a)
	p.resize()
	p.wantPart()
	p.settle(now)
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
func (v *Visit) ReadsTrailer() bool { return v.isWatched }

// postpone reports whether a response's header says nothing about the limits that it does not report, because this
// server reports limits in trailers and the response may have one.
func (p *Partition) postpone(v *Visit, a *pacer.Answer) bool {
	v.postponed = v.isWatched && p.notes != nil && p.notes.trailers && !a.Indirect && !a.Refused
	return v.postponed
}
