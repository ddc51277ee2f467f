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
	d := &p.dispatcher
	if d.isForgotten.Load() {
		return
	}
	if len(a.Limits) > 0 {
		d.note().trailers = true
	}
	a.Indirect = !t.postponed // then the header has been counted as the answer already
	d.used = now
	d.pacer.Answered(now, &t.ticket, a)
	d.resize()
	d.wantPart()
	d.settle(now, p)
}

// postpone reports whether a response's header says nothing about the limits that it does not report, because this
// server reports limits in trailers and the response may have one.
func (d *dispatcher) postpone(v *Visit, a *pacer.Answer) bool {
	v.postponed = v.MayHaveTrailer && d.notes != nil && d.notes.trailers && !a.Indirect && !a.Refused
	return v.postponed
}
