package pacer_test

import (
	"container/heap"
	"math/rand/v2"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// A busy client always has more requests to send, in virtual time. Times are seconds since the beginning.
type busy struct {
	rng     *rand.Rand
	p       pacer.Partition
	workers int
	latency func(now float64) float64             // of one way
	serve   func(now float64, e *exchange)        // sets the answer or lost
	clock   func(now float64) pacer.Instant       // what the client's clock shows
	sleeps  func(now float64) (until float64)     // the process sleeps until then; not after now: it does not
	most    func() int                            // requests yet to be sent; nil: without end
	left    func(e *exchange)                     // called when the server has done its work
	on      func(now float64, e *exchange)        // called with each response
	before  func(now float64, p *pacer.Partition) // called before each event of the client

	now      float64
	events   eventQueue
	seq      int
	inFlight int
	wakes    float64
	spare    []*exchange
	sent     int
}

// An exchange is a request and its response.
type exchange struct {
	ticket pacer.Ticket
	answer pacer.Answer
	limit  [1]limits.Told
	lost   bool
	sent   float64
	hold   float64 // time that the server works
}

type eventKind uint8

const (
	arrives eventKind = iota
	departs
	returns
	wakes
)

type event2 struct {
	at   float64
	seq  int
	kind eventKind
	e    *exchange
}

type eventQueue []event2

func (q eventQueue) Len() int { return len(q) }
func (q eventQueue) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].seq < q[j].seq
}
func (q eventQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *eventQueue) Push(x any)   { *q = append(*q, x.(event2)) }
func (q *eventQueue) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}

func (b *busy) push(at float64, kind eventKind, e *exchange) {
	b.seq++
	heap.Push(&b.events, event2{at, b.seq, kind, e})
}

// run goes on until a time.
func (b *busy) run(until float64) {
	if b.events == nil {
		b.push(b.now, wakes, nil)
		b.wakes = b.now
	}
	for len(b.events) > 0 && b.events[0].at < until {
		ev := heap.Pop(&b.events).(event2)
		b.now = ev.at
		if ev.kind != arrives && ev.kind != departs {
			if until := b.sleeps(b.now); until > b.now {
				if ev.kind == wakes && ev.at == b.wakes {
					b.wakes = until
				}
				b.push(until, ev.kind, ev.e)
				continue
			}
			if b.before != nil {
				b.before(b.now, &b.p)
			}
		}
		switch ev.kind {
		case arrives:
			b.serve(b.now, ev.e)
			if ev.e.hold > 0 {
				b.push(b.now+ev.e.hold, departs, ev.e)
				continue
			}
			b.push(b.now+b.latency(b.now), returns, ev.e)
			continue
		case departs:
			b.left(ev.e)
			b.push(b.now+b.latency(b.now), returns, ev.e)
			continue
		case returns:
			now, e := b.clock(b.now), ev.e
			if e.lost {
				b.p.Lost(now, &e.ticket)
			} else {
				b.p.Answered(now, &e.ticket, &e.answer)
			}
			b.p.Release()
			b.inFlight--
			b.on(b.now, e)
			b.spare = append(b.spare, e)
		case wakes:
			if ev.at != b.wakes {
				continue
			}
		}
		b.send()
	}
	b.now = until
}

func (b *busy) send() {
	cost := pacer.Cost{Requests: 1}
	for b.inFlight < b.workers && (b.most == nil || b.most() > 0) {
		var e *exchange
		if n := len(b.spare); n > 0 {
			e, b.spare = b.spare[n-1], b.spare[:n-1]
			*e = exchange{}
		} else {
			e = &exchange{}
		}
		var plan pacer.Plan
		now := b.clock(b.now)
		if !b.p.Take(now, &cost, &e.ticket, &plan) {
			b.spare = append(b.spare, e)
			if plan.At == pacer.Never {
				b.wakes = -1
				return
			}
			b.wakes = b.now + plan.At.Sub(now).Seconds() + 1e-9
			b.push(b.wakes, wakes, nil)
			return
		}
		b.inFlight++
		b.sent++
		e.sent = b.now
		b.push(b.now+b.latency(b.now), arrives, e)
	}
	b.wakes = -1
}

// at is the usual clock of a client.
func at(now float64) pacer.Instant { return start.Add(time.Duration(now * float64(time.Second))) }
