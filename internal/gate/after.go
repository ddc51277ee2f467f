package gate

import "github.com/headway-go/headway/pacer"

// This file has what a visit leaves behind once the caller has the response: an End for the body, and a Receipt for the
// trailer.

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
	if e.forgets == p.forgets {
		p.pacer.Transferred(e.bytes, length)
	}
	if e.placed {
		p.bodies--
		p.release(p.now())
	}
}

// open notes which limits the body of the response affects: on bytes, and on concurrent requests.
func (p *Partition) open(v *Visit) {
	e := End{partition: p, bytes: p.pacer.ByteLimits(&v.ticket), forgets: p.forgets, placed: p.pacer.HasConcurrencyLimit()}
	if e.placed {
		p.bodies++
	}
	if e.placed || e.bytes != 0 {
		v.body = e
	}
}

// End moves what is left to do from the visit to an End. Leave then has nothing more to give back for the body.
func (v *Visit) End() (e End) {
	e, v.body = v.body, End{}
	return e
}

// A Receipt identifies a request whose response has come, for the trailer of that response. It must not be used
// concurrently.
type Receipt struct {
	partition *Partition
	ticket    pacer.Ticket
}

// Receipt returns the receipt of a request. It is called after Answered, which may correct what the request was charged,
// and before Proceed.
func (v *Visit) Receipt() Receipt { return Receipt{v.partition, v.ticket} }

// HasTrailers reports whether a trailer has reported limits.
func (p *Partition) HasTrailers() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.trailers
}

// Partition returns the partition of the request.
func (r *Receipt) Partition() *Partition { return r.partition }

// Answered learns from the trailer of the response, which is no refusal. A partition that was forgotten meanwhile learns
// nothing.
func (r *Receipt) Answered(a *pacer.Answer) {
	p := r.partition
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isForgotten {
		return
	}
	now := p.now()
	p.trailers = p.trailers || len(a.Limits) > 0
	if !a.Indirect {
		p.final = ""
	}
	p.pacer.Answered(now, &r.ticket, a)
	p.used = now
	p.wantPart()
	p.settle(now)
}
