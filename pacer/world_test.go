package pacer_test

import (
	"math/rand/v2"
	"slices"
	"sort"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/ratelimittest"
)

// epoch is the server's time when the clients' clocks show start.
var epoch = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

// A world has one server and its clients, in virtual time. Its functions say what happens in it.
type world struct {
	rng     *rand.Rand
	latency func() time.Duration // of one way, there or back
	serve   func(e *exchange)    // a request has come to the server: sets answer or lost, and maybe work
	served  func()               // the server has done the work of a request; only if there is any
	read    func(e *exchange)    // a client has read a response, or knows that none comes; nil: nobody asks
	clients []*client
	now     time.Duration // since the beginning
	queue   []event       // in the future, the next one last
}

// An event is what happens at a time.
type event struct {
	at time.Duration
	do func()
}

// newWorld returns a world in which each way takes half of the latency, or up to a fifth of that more or less.
func newWorld(seed uint64, latency time.Duration, serve func(*exchange)) *world {
	w := &world{rng: rand.New(rand.NewPCG(seed, 0)), serve: serve}
	w.latency = func() time.Duration { return time.Duration(float64(latency) / 2 * (0.8 + 0.4*w.rng.Float64())) }
	return w
}

// A client always has more requests to send, if unsent is nil.
type client struct {
	*world
	partition pacer.Partition
	workers   int                          // most requests in flight
	clock     func() pacer.Instant         // what its clock shows
	sleeps    func() (until time.Duration) // its process sleeps until then, if that is after now; nil: never
	before    func()                       // called before it does anything; nil: not
	unsent    func() int                   // requests yet to be sent; nil: without end
	went      func(*exchange)              // it has sent a request; nil: nobody asks

	wakes    time.Duration // when it goes on without a response
	inFlight int
	sent     int
}

// An exchange is a request and its response.
type exchange struct {
	client *client
	ticket pacer.Ticket
	answer pacer.Answer
	lost   bool          // no response comes
	work   time.Duration // how long the server works
	sent   time.Duration // when it was sent
}

// join adds a client, which begins to send after some time. Its Config gets the world's chance.
func (w *world) join(cfg pacer.Config, workers int, after time.Duration) *client {
	cfg.Chance = w.rng.Float64
	c := &client{world: w, partition: pacer.New(&cfg), workers: workers}
	c.clock = func() pacer.Instant { return start.Add(w.now) }
	w.clients = append(w.clients, c)
	c.wakeAt(after)
	return c
}

// after lets something happen, after what comes sooner or at the same time.
func (w *world) after(d time.Duration, do func()) {
	at := w.now + d
	i := sort.Search(len(w.queue), func(i int) bool { return w.queue[i].at <= at })
	w.queue = slices.Insert(w.queue, i, event{at, do})
}

// run goes on until a time.
func (w *world) run(until time.Duration) {
	for n := len(w.queue); n > 0 && w.queue[n-1].at < until; n = len(w.queue) {
		next := w.queue[n-1]
		w.queue[n-1].do = nil
		w.queue = w.queue[:n-1]
		w.now = next.at
		next.do()
	}
	w.now = until
}

// wakeAt lets the client go on at a time, unless a response has changed its plan until then.
func (c *client) wakeAt(at time.Duration) {
	c.wakes = at
	c.after(at-c.now, func() {
		if c.wakes == at {
			c.act(c.send)
		}
	})
}

// act is what the client does when it wakes or a response comes, if its process does not sleep.
func (c *client) act(do func()) {
	if c.sleeps != nil {
		if until := c.sleeps(); until > c.now {
			c.after(until-c.now, func() { c.act(do) })
			return
		}
	}
	if c.before != nil {
		c.before()
	}
	do()
}

// send sends what may be sent now, and plans when to go on.
func (c *client) send() {
	c.wakes = -1 // with a response
	for c.inFlight < c.workers && (c.unsent == nil || c.unsent() > 0) {
		now := c.clock()
		var plan pacer.Plan
		e := &exchange{client: c, sent: c.now}
		if !c.partition.Take(now, &one, &e.ticket, &plan) {
			if plan.At != pacer.Never {
				c.wakeAt(c.now + plan.At.Sub(now))
			}
			return
		}
		c.inFlight++
		c.sent++
		if c.went != nil {
			c.went(e)
		}
		c.after(c.latency(), func() { c.arrived(e) })
	}
}

// arrived is what the server does with a request.
func (c *client) arrived(e *exchange) {
	back := func() { c.after(c.latency(), func() { c.act(func() { c.answered(e) }) }) }
	if c.serve(e); e.work == 0 {
		back()
		return
	}
	c.after(e.work, func() {
		if c.served != nil {
			c.served()
		}
		back()
	})
}

func (c *client) answered(e *exchange) {
	if e.lost {
		c.partition.Lost(c.clock(), &e.ticket)
	} else {
		c.partition.Answered(c.clock(), &e.ticket, &e.answer)
	}
	c.partition.Release()
	c.inFlight--
	if c.read != nil {
		c.read(e)
	}
	c.send()
}

// A server decides by a limiter, and tells its limits in its way.
type server struct {
	limiter ratelimittest.Limiter
	tells   reporting
	offset  time.Duration // of its clock, so that windows begin at any time
}

// time is what the server's clock shows.
func (s *server) time(now time.Duration) time.Time { return epoch.Add(s.offset + now) }

// serve decides about a request. The response is written when the work is done.
func (s *server) serve(e *exchange) (isAllowed bool) {
	at := s.time(e.client.now)
	d := s.limiter.Take(at, "", 1)
	if !d.Allowed {
		e.work = 0
	}
	e.answer = s.tells.answer(&d, at, at.Add(e.work))
	return d.Allowed
}

// of returns a limiter's responses by time.
func of(l ratelimittest.Limiter, tells reporting) func(now pacer.Instant) pacer.Answer {
	return func(now pacer.Instant) pacer.Answer {
		at := epoch.Add(now.Sub(start))
		d := l.Take(at, "", 1)
		return tells.answer(&d, at, at)
	}
}

// A reporting is the way in which a server reports its limits.
type reporting int

const (
	draft10    reporting = iota // whole seconds, rounded up
	trio                        // quota, what is left and the reset, but no window
	unixTime                    // the same with the reset in whole seconds since 1970, which count from Date
	counts                      // no time at all, but on refusals
	retryAfter                  // Retry-After alone
	nothing
	countsAlone // no times, not even on refusals
	noTimes     // the window, but no other time
	cutTimes    // as unixTime, but cut to the second: up to a second early, and no Retry-After
	leftAlone   // not even the quota
	noReset     // the reset is always zero
	alwaysFull  // another limit than the one that refuses
)

const reportings = countsAlone // those that scenes are drawn of

func (r reporting) String() string {
	return [...]string{
		"draft-10", "trio", "epoch", "counts", "Retry-After", "bare", "counts alone", "no t", "cut epochs", "r alone", "t = 0", "r = q",
	}[r]
}

// hasCounts reports whether each response reports the limit.
func (r reporting) hasCounts() bool { return r != retryAfter && r != nothing }

// answer returns what a client reads in a response that is written at a time, of a decision of an earlier time.
func (r reporting) answer(d *ratelimittest.Decision, at, written time.Time) pacer.Answer {
	a := pacer.Answer{RetryAfter: unknown, Refused: !d.Allowed}
	if a.Refused && d.RetryAfter > 0 {
		switch r {
		case nothing, countsAlone, noTimes, cutTimes, noReset, alwaysFull:
		default:
			a.RetryAfter = wholeSeconds(d.RetryAfter)
		}
	}
	if !r.hasCounts() {
		return a
	}
	date := written.Truncate(second)
	for _, l := range d.Limits {
		in := limits.Reported{Policy: l.Policy, Quota: l.Quota, Remaining: l.Remaining, Window: unknown, Reset: wholeSeconds(l.Reset)}
		switch r {
		case draft10:
			in.Window = l.Window
		case noTimes:
			in.Window, in.Reset = l.Window, unknown
		case unixTime:
			in.Reset = max(0, wholeSeconds(at.Add(l.Reset).Sub(date)))
		case cutTimes:
			in.Reset = at.Add(l.Reset).Truncate(second).Sub(date)
		case counts, countsAlone:
			in.Reset = unknown
		case leftAlone:
			in.Reset, in.Quota = unknown, unknown
		case noReset:
			in.Reset = 0
		case alwaysFull:
			in.Reset, in.Remaining = 0, in.Quota
		}
		a.Limits = append(a.Limits, in)
	}
	return a
}

// wholeSeconds rounds up, as servers do.
func wholeSeconds(d time.Duration) time.Duration { return (d + second - 1).Truncate(second) }

func inSeconds(s float64) time.Duration { return time.Duration(s * float64(second)) }

// newLimiter returns a limiter of a kind. Strict ones also count refused requests.
func newLimiter(kind string, p ratelimittest.Policy) ratelimittest.Limiter {
	return map[string]ratelimittest.Limiter{
		"window":              &ratelimittest.FixedWindow{Policy: p, Aligned: true},
		"window by request":   &ratelimittest.FixedWindow{Policy: p},
		"GCRA":                &ratelimittest.Linear{Policy: p},
		"counter":             &ratelimittest.SlidingCounter{Policy: p},
		"log":                 &ratelimittest.SlidingLog{Policy: p},
		"log, all back":       &ratelimittest.SlidingLog{Policy: p, FullReset: true},
		"bucket":              &ratelimittest.TokenBucket{Policy: p},
		"bucket, full":        &ratelimittest.TokenBucket{Policy: p, FullReset: true},
		"bucket in steps":     &ratelimittest.TokenBucket{Policy: p, Step: p.Window / 10},
		"bucket of q/4":       &ratelimittest.TokenBucket{Policy: p, Capacity: max(1, p.Quota/4)},
		"exponential":         &ratelimittest.Exponential{Policy: p},
		"strict GCRA":         &ratelimittest.Linear{Policy: p, Strict: true},
		"GCRA with a penalty": &ratelimittest.Linear{Policy: p, Penalty: p.Window / 2},
		"strict log":          &ratelimittest.SlidingLog{Policy: p, Strict: true},
		"strict exponential":  &ratelimittest.Exponential{Policy: p, Strict: true},
	}[kind]
}
