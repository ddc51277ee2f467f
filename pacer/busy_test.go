package pacer_test

import (
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// A busy client always has more requests to send, in virtual time. Times are seconds since the beginning.
// The functions are its world; those that say so may be nil.
type busy struct {
	partition pacer.Partition
	workers   int                               // most requests in flight
	latency   func(now float64) float64         // of one way, there or back
	serve     func(now float64, e *exchange)    // a request has come to the server: sets answer or lost, and maybe work
	served    func()                            // the server has done the work of a request; only if there is any
	returned  func(now float64, e *exchange)    // the client has read a response, or knows that none comes
	clock     func(now float64) pacer.Instant   // what the client's clock shows
	sleeps    func(now float64) (until float64) // the process sleeps until then, if that is after now; nil: never
	before    func(now float64)                 // called before the client does anything; nil: not
	unsent    func() int                        // requests yet to be sent; nil: without end
	went      func(now float64, e *exchange)    // the client has sent a request; nil: nobody asks

	now      float64
	agenda   agenda
	seq      int     // number of the last moment
	wakes    float64 // when the client goes on without a response; negative: not
	inFlight int
	sent     int         // requests in all
	spare    []*exchange // for the next requests, to save allocations
}

// An exchange is a request and its response.
type exchange struct {
	ticket pacer.Ticket
	answer pacer.Answer
	limit  [1]limits.Reported // room for what the answer reports
	lost   bool               // no response comes
	work   float64            // how long the server works
	nth    int                // which request it is, for those who ask
	sent   float64            // when the client sent it, for those who ask
}

// A stage is what happens next to an exchange, or to the client.
type stage uint8

const (
	arrives stage = iota // the request, at the server
	departs              // the response, from the server
	returns              // the response, to the client
	wakes                // the client
)

// A moment is when something happens.
type moment struct {
	at       float64
	seq      int // moments at the same time come in the order in which they were added
	stage    stage
	exchange *exchange // nil if the client wakes
}

// before reports whether a moment is the sooner one.
func (m *moment) before(other *moment) bool {
	return m.at < other.at || m.at == other.at && m.seq < other.seq
}

// An agenda is a heap of future moments, as of container/heap, which would allocate each of them.
type agenda []moment

func (a *agenda) push(m moment) {
	*a = append(*a, m)
	h := *a
	for i := len(h) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h[i].before(&h[parent]) {
			return
		}
		h[i], h[parent] = h[parent], h[i]
		i = parent
	}
}

func (a *agenda) pop() moment {
	h := *a
	first, last := h[0], len(h)-1
	h[0], h = h[last], h[:last]
	*a = h
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			return first
		}
		if other := child + 1; other < last && h[other].before(&h[child]) {
			child = other
		}
		if !h[child].before(&h[i]) {
			return first
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}

func (b *busy) add(at float64, s stage, e *exchange) {
	b.seq++
	b.agenda.push(moment{at, b.seq, s, e})
}

// run goes on until a time.
func (b *busy) run(until float64) {
	if b.agenda == nil {
		b.wakes = b.now
		b.add(b.now, wakes, nil)
	}
	for len(b.agenda) > 0 && b.agenda[0].at < until {
		m := b.agenda.pop()
		b.now = m.at
		switch e := m.exchange; m.stage {
		case arrives:
			if b.serve(b.now, e); e.work > 0 {
				b.add(b.now+e.work, departs, e)
			} else {
				b.add(b.now+b.latency(b.now), returns, e)
			}
		case departs:
			b.served()
			b.add(b.now+b.latency(b.now), returns, e)
		default:
			b.act(&m)
		}
	}
	b.now = until
}

// wake lets the client go on now, as it has more to send.
func (b *busy) wake() {
	b.wakes = b.now
	b.add(b.now, wakes, nil)
}

// act is what the client does when it wakes or a response comes.
func (b *busy) act(m *moment) {
	if until := b.asleep(); until > b.now {
		if m.stage == wakes && m.at == b.wakes {
			b.wakes = until
		}
		b.add(until, m.stage, m.exchange)
		return
	}
	if b.before != nil {
		b.before(b.now)
	}
	if m.stage == returns {
		b.read(m.exchange)
	} else if m.at != b.wakes {
		return // a response came in between, and changed the plan
	}
	b.send()
}

// asleep returns when the process wakes up.
func (b *busy) asleep() (until float64) {
	if b.sleeps == nil {
		return b.now
	}
	return b.sleeps(b.now)
}

// read reads a response.
func (b *busy) read(e *exchange) {
	if e.lost {
		b.partition.Lost(b.clock(b.now), &e.ticket)
	} else {
		b.partition.Answered(b.clock(b.now), &e.ticket, &e.answer)
	}
	b.partition.Release()
	b.inFlight--
	b.returned(b.now, e)
	b.spare = append(b.spare, e)
}

// send sends what may be sent now, and plans when to go on.
func (b *busy) send() {
	b.wakes = -1 // a response comes
	cost := pacer.Cost{Requests: 1}
	for b.inFlight < b.workers && (b.unsent == nil || b.unsent() > 0) {
		e := b.fresh()
		now := b.clock(b.now)
		var plan pacer.Plan
		if !b.partition.Take(now, &cost, &e.ticket, &plan) {
			b.spare = append(b.spare, e)
			if plan.At != pacer.Never {
				b.wakes = b.now + plan.At.Sub(now).Seconds() + 1e-9 // not too early by rounding
				b.add(b.wakes, wakes, nil)
			}
			return
		}
		b.inFlight++
		b.sent++
		if b.went != nil {
			b.went(b.now, e)
		}
		b.add(b.now+b.latency(b.now), arrives, e)
	}
}

// fresh returns an empty exchange.
func (b *busy) fresh() *exchange {
	if len(b.spare) == 0 {
		return &exchange{}
	}
	last := len(b.spare) - 1
	e := b.spare[last]
	b.spare = b.spare[:last]
	*e = exchange{}
	return e
}

// at is the usual clock of a client.
func at(now float64) pacer.Instant { return start.Add(time.Duration(now * float64(time.Second))) }
