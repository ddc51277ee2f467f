package headway

import (
	"net/url"
	"sync"

	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/pacer"
)

// A partition joins the pacing state of one partition with the requests that
// wait for it. The methods that take now expect p.mu to be held, unless they
// say that they lock it.
type partition struct {
	*givens // its Transport's

	mu      sync.Mutex
	pacer   pacer.Partition
	queue   *queue        // nil while nothing waits
	key     identity.Key  // never written to
	used    pacer.Instant // when a request last left
	paths   identity.Paths
	evicted bool // no longer in the registry: look it up again

	notes *notes // nil: none
}

// notes are what most partitions do not need.
type notes struct {
	name      string              // "": nobody was told
	shared    identity.Name       // what its Fleet calls it; "": there is none
	wants     chan<- struct{}     // see Fleet.Join
	members   int                 // of the Fleet that it shares its quotas with
	atCeiling int                 // requests that were let go and wait for the Ceiling
	throttled pacer.Instant       // when a response last refused a request; 0: never
	reported  map[uint64]struct{} // problems that were logged, by their hashes
}

// note returns the notes of the partition.
func (p *partition) note() *notes {
	if p.notes == nil {
		p.notes = &notes{}
	}
	return p.notes
}

// waitAtCeiling notes that so many requests more wait for the Ceiling. It locks p.mu.
func (p *partition) waitAtCeiling(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.note().atCeiling += n
}

// route returns the number of a request's route, 0 as long as there is but one, or
// no limits that might apply to some of them only. One that waits has one in any case,
// as limits may be known by the time that it is its turn.
func (p *partition) route(method string, u *url.URL, waits bool) uint8 {
	r := p.paths.Route(method, u, waits || p.pacer.HasLimits())
	if r.Number != 0 {
		p.pacer.Describe(r.Number, r.Like, r.Mixed)
	}
	return r.Number
}

// take sends a request if it may go at once: nothing waits before it, and the
// limits allow it. If not, plan says when it would be its turn.
func (p *partition) take(now pacer.Instant, cost *pacer.Cost, priority int, ticket *pacer.Ticket) (plan pacer.Plan, ok bool) {
	if p.queue == nil {
		return p.pacer.Take(now, cost, p.chance(), ticket)
	}
	return p.pacer.Plan(now, p.ahead(cost, false, priority), cost), false
}

// send sends a request now, whatever the plan is.
func (p *partition) send(now pacer.Instant, cost *pacer.Cost) pacer.Ticket {
	return p.pacer.Send(now, cost, p.chance())
}

// cancel takes back a request that never reached Base.
func (p *partition) cancel(now pacer.Instant, ticket *pacer.Ticket) {
	p.pacer.Cancel(now, ticket)
	p.used = now
	p.settle(now)
}

// A verdict is what became of an answered request.
type verdict struct {
	placed bool           // its place stays taken until the end of the body
	bytes  pacer.LimitSet // what the length of its body counts for
	queued bool           // it is going to be sent again

	holdEnd pacer.Instant // end of the hold that its answer set or lengthened; 0: it did neither
	isNews  bool          // the hold is new, or at least twice as long
}

// answered learns from the response to a request. If the request is to be sent
// again, resend is not nil and is queued, provided it can start in time. If
// a body follows, its end is waited for where requests in flight are limited, and
// its length where bytes are. It locks p.mu.
func (p *partition) answered(now pacer.Instant, ticket *pacer.Ticket, answer *pacer.Answer, bodyFollows bool, resend *waiter) (v verdict, d delay) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var before pacer.Instant
	if answer.Refused { // nothing else sets a hold
		before = max(p.pacer.HeldUntil(ticket), now)
	}
	p.pacer.Answered(now, ticket, answer, p.chance())
	if answer.Refused {
		p.note().throttled = now
		end := p.pacer.HeldUntil(ticket)
		if end > before {
			v.holdEnd, v.isNews = end, end.Sub(now) >= 2*before.Sub(now)
		}
		now = p.clock.Now() // GetBody may have taken some time
		if end > before.Add(replanAfter) {
			p.replan(now)
		}
	}
	p.wantPart()
	if resend != nil {
		d.Plan, v.queued = p.enqueue(now, resend)
		d.queue, d.resend = p.queue.len(), true
	}
	if bodyFollows {
		v.placed, v.bytes = p.pacer.HasConcurrencyLimit(), p.pacer.ByteLimits(ticket)
	}
	if v.placed {
		p.settle(now)
	} else {
		p.release(now)
	}
	return v, d
}

// lost records that Base had no response for a request. It locks p.mu.
func (p *partition) lost(now pacer.Instant, ticket *pacer.Ticket) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pacer.Lost(now, ticket)
	p.release(now)
}

// ended records the end of a response body that was waited for. It locks p.mu.
func (p *partition) ended(v verdict, length int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	p.pacer.Transferred(v.bytes, length)
	if v.placed {
		p.release(now)
	}
}

// release frees the place of a request that is over.
func (p *partition) release(now pacer.Instant) {
	p.pacer.Release()
	p.used = now
	p.settle(now)
}

// held reports whether a hold keeps back requests like that one. It locks p.mu.
func (p *partition) held(now pacer.Instant, ticket *pacer.Ticket) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pacer.HeldUntil(ticket) > now
}

// delay is how long a request would wait that joined now. It locks p.mu.
func (p *partition) delay(now pacer.Instant, w *waiter) delay {
	p.mu.Lock()
	defer p.mu.Unlock()
	plan := p.pacer.Plan(now, p.ahead(&w.cost, w.resend, w.priority), &w.cost)
	return delay{Plan: plan, queue: p.queue.len() + 1, resend: w.resend}
}

// protected reports whether a request or a hold depends on the partition.
func (p *partition) protected(now pacer.Instant) bool {
	return p.pacer.InFlight() > 0 || p.queue != nil || p.pacer.Held(now)
}
