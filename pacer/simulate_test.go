//go:build !race

// The simulations are not concurrent, and would take ten times as long with the race detector.

package pacer_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/sim"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/ratelimittest"
)

const (
	workers    = 16                            // most requests in flight per client
	latency    = 50 * time.Millisecond         // usual duration of a request
	overtaking = 0.2                           // part of the latency by which requests vary
	begins     = pacer.Instant(24 * time.Hour) // beginning of a run on the clients' clock
	mostEvents = 1_000_000                     // bound on the events of a run, far above any real number
)

// serverEpoch is the server's time near the beginning of a run. A run begins up to a window after it.
var serverEpoch = time.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC)

// A workload says what the clients send: a batch of requests, or requests without end.
type workload struct {
	name    string
	clients int
	quotas  int64 // size of all batches together, in quotas; 0: without end
	windows int64 // number of windows after which nothing is sent
}

var (
	eightBatches = workload{"eight with 10 q", 8, 10, 50} // all begin at once
	eight        = workload{"eight without end", 8, 0, 20}
	two          = workload{"two without end", 2, 0, 20}
)

func alone(quotas int64) workload {
	return workload{fmt.Sprintf("one with %d q", quotas), 1, quotas, 5 * quotas}
}

// A cell is a load on a server.
type cell struct {
	load    workload
	server  string // name for newLimiter
	rates   []rate // all apply at once, the one with the longest window first
	dialect dialect

	workers int
	latency time.Duration
	change  func(l ratelimittest.Limiter, begun time.Time) ratelimittest.Limiter
}

// Figures are what a run of a cell showed. Those that do not apply are NaN.
type figures struct {
	refused  float64 // per 1000 allowed requests
	finished float64 // time to the last response, over the optimum: a greedy client that knows the limiter
	used     float64 // part of the quota that was used until the last client had sent all
	jain     float64 // fairness between clients until the first one had sent all
}

// A rate is a quota per window.
type rate struct {
	quota  int64
	window time.Duration
}

// run measures one run. The seed also chooses when in a window the run begins.
func (c *cell) run(tb testing.TB, seed uint64) figures {
	tb.Helper()
	chance := rand.New(rand.NewPCG(seed, 7))
	r, l := c.rates[0], c.load
	phase, requests, entry := float64(r.window), math.MaxInt, float64(r.window)/2
	if l.quotas > 0 {
		requests, entry = int(l.quotas*r.quota)/l.clients, 0
	}
	if l.clients == 1 {
		phase /= 2 // a client that begins late in an aligned window has little to gain in it
	}
	s := simulation{limiter: newLimiter(c.server, c.rates), dialect: c.dialect, now: begins, workers: workers, latency: latency}
	if c.workers > 0 {
		s.workers, s.latency = c.workers, c.latency
	}
	if c.change != nil {
		s.limiter = c.change(s.limiter, serverEpoch)
	}
	s.started = serverEpoch.Add(time.Duration(phase * chance.Float64()))
	s.ends = begins.Add(max(time.Duration(l.windows)*r.window, 30*time.Second))
	clients := make([]*client, l.clients)
	for i := range clients {
		one := &client{
			simulation: &s, name: fmt.Sprint(i), chance: rand.New(rand.NewPCG(seed, uint64(i)+100)), unsent: requests,
		}
		one.partition = pacer.New(&pacer.Config{Chance: func() float64 { return one.drawn }})
		s.after(time.Duration(entry*chance.Float64()), one.send)
		clients[i] = one
	}
	s.run(tb)
	return c.figures(&s, clients)
}

// figures returns the figures of a finished run.
func (c *cell) figures(s *simulation, clients []*client) figures {
	allowed, sharing := s.arrivals.Allowed(), s.arrivals
	f := figures{
		refused: 1000 * float64(len(s.arrivals)-len(allowed)) / float64(len(allowed)), finished: math.NaN(), used: math.NaN(), jain: math.NaN(),
	}
	if c.load.clients == 1 {
		optimum := ratelimittest.Batch{Requests: len(allowed), Workers: s.workers}.Optimum(s.limiter, s.started, s.latency)
		f.finished = float64(clients[0].served.Sub(begins)) / float64(optimum)
		return f
	}
	if c.load.quotas > 0 {
		firstDone := pacer.Never
		for _, c := range clients {
			firstDone = min(firstDone, c.served)
		}
		sharing = s.arrivals.Between(s.started, s.started.Add(firstDone.Sub(begins)))
	}
	f.used = s.arrivals.Used(s.limiter)
	f.jain = sharing.Jain(func(a ratelimittest.Arrival) string { return a.Client })
	return f
}

// A simulation has one server and its clients, in virtual time. Its queue contains the future events, the next one last:
// it goes without a copy of the others.
type simulation struct {
	limiter  ratelimittest.Limiter
	dialect  dialect
	workers  int
	latency  time.Duration
	started  time.Time // beginning on the server's clock
	now      pacer.Instant
	ends     pacer.Instant // nothing is sent after it
	queue    []event
	arrivals ratelimittest.Arrivals
}

type event struct {
	at pacer.Instant
	do func()
}

func (s *simulation) after(d time.Duration, do func()) {
	at := s.now.Add(d)
	i := len(s.queue)
	for i > 0 && s.queue[i-1].at <= at {
		i--
	}
	s.queue = slices.Insert(s.queue, i, event{at, do})
}

func (s *simulation) run(tb testing.TB) {
	tb.Helper()
	for range 20 * mostEvents {
		if len(s.queue) == 0 {
			return
		}
		last := len(s.queue) - 1
		next := s.queue[last]
		s.queue = s.queue[:last]
		s.now = next.at
		next.do()
	}
	require.Fail(tb, "a client goes round in circles", "after %v", s.now.Sub(begins))
}

// A client sends its requests as soon as its partition allows.
type client struct {
	*simulation
	name      string
	partition pacer.Partition
	chance    *rand.Rand
	drawn     float64 // random number for the partition
	unsent    int     // including refused requests, which are sent again
	inFlight  int
	wakes     pacer.Instant // time of the next attempt if no response comes before
	served    pacer.Instant // time of the last success
}

func (c *client) send() {
	for c.inFlight < c.workers && c.unsent > 0 && c.now < c.ends {
		var ticket pacer.Ticket
		var plan pacer.Plan
		c.drawn = c.chance.Float64()
		sent := c.partition.Take(c.now, &pacer.Cost{Requests: 1}, &ticket, &plan)
		if !sent {
			c.sleep(plan.At)
			return
		}
		c.unsent--
		c.inFlight++
		half := time.Duration(float64(c.latency/2) * (1 - overtaking + 2*overtaking*c.chance.Float64()))
		c.after(half, func() {
			at := c.started.Add(c.now.Sub(begins))
			decision := c.limiter.Take(at, "all", 1)
			c.arrivals = append(c.arrivals, ratelimittest.Arrival{Time: at, Client: c.name, Cost: 1, Allowed: decision.Allowed})
			answer := c.dialect.answer(&decision, at)
			c.after(half, func() { c.answered(&ticket, &answer) })
		})
	}
}

func (c *client) sleep(until pacer.Instant) {
	c.wakes = until
	if until == pacer.Never { // wait for a response
		return
	}
	c.after(until.Sub(c.now), func() {
		if c.wakes == until {
			c.send()
		}
	})
}

func (c *client) answered(ticket *pacer.Ticket, a *pacer.Answer) {
	c.drawn = c.chance.Float64()
	c.partition.Answered(c.now, ticket, a)
	c.partition.Release()
	c.inFlight--
	if a.Refused {
		c.unsent++
	} else {
		c.served = c.now
	}
	c.send()
}

// A dialect is the way in which a server reports its limits in header fields.
type dialect string

const (
	draft10    dialect = "draft-10"                       // whole seconds, rounded up
	xRateLimit dialect = "X-RateLimit"                    // no window; ends are in whole seconds since 1970
	cutEpochs  dialect = "X-RateLimit, cut to the second" // ends up to a second early, and no Retry-After
	countsOnly dialect = "counts only"                    // no times at all
	leftOnly   dialect = "r only"                         // not even the quota
	waitOnly   dialect = "Retry-After only"
	bare       dialect = "bare refusals"    // no header fields at all
	resetZero  dialect = "counts and t = 0" // the reset is always zero
	alwaysFull dialect = "r = q always"     // reports another limit than the one that refuses
)

// answer returns what a client reads in a response that was sent at the given time.
func (d dialect) answer(decision *ratelimittest.Decision, at time.Time) pacer.Answer {
	a := pacer.Answer{RetryAfter: pacer.Unknown, Refused: !decision.Allowed}
	switch d {
	case draft10, xRateLimit, waitOnly, leftOnly:
		if decision.RetryAfter > 0 {
			a.RetryAfter = wholeSeconds(decision.RetryAfter)
		}
	}
	for _, l := range decision.Limits {
		if d == bare || d == waitOnly {
			break
		}
		reported := limits.Reported{Policy: l.Policy, Quota: l.Quota, Remaining: l.Remaining, Window: pacer.Unknown, Reset: wholeSeconds(l.Reset)}
		switch d {
		case draft10:
			reported.Window = l.Window
		case xRateLimit: // the client subtracts the Date field from the end
			reported.Reset = wholeSeconds(at.Add(l.Reset).Sub(at.Truncate(time.Second)))
		case cutEpochs:
			reported.Reset = at.Add(l.Reset).Truncate(time.Second).Sub(at.Truncate(time.Second))
		case countsOnly:
			reported.Reset = pacer.Unknown
		case leftOnly:
			reported.Reset, reported.Quota = pacer.Unknown, pacer.Unknown
		case resetZero:
			reported.Reset = 0
		case alwaysFull:
			reported.Reset, reported.Remaining = 0, reported.Quota
		}
		a.Limits = append(a.Limits, reported)
	}
	return a
}

func wholeSeconds(d time.Duration) time.Duration {
	return (d + time.Second - 1).Truncate(time.Second)
}

// newLimiter returns the limiter with the given name. Strict limiters also count refused requests.
// ratelimittest has no strict bucket or counter: the strict GCRA stands for a bucket, and the strict log
// for a counter.
func newLimiter(name string, rates []rate) ratelimittest.Limiter {
	var all []ratelimittest.Limiter
	name, isHalved := strings.CutSuffix(name, " halved")
	for _, r := range rates {
		p := ratelimittest.Policy{Name: r.window.String(), Quota: r.quota, Window: r.window}
		if isHalved {
			p.QuotaAt = sim.LowerQuota(r.quota, r.quota/2, serverEpoch.Add(10*r.window))
		}
		all = append(all, map[string]ratelimittest.Limiter{
			"window":              &ratelimittest.FixedWindow{Policy: p, Aligned: true},
			"window by request":   &ratelimittest.FixedWindow{Policy: p},
			"GCRA":                &ratelimittest.Linear{Policy: p},
			"counter":             &ratelimittest.SlidingCounter{Policy: p},
			"log":                 &ratelimittest.SlidingLog{Policy: p},
			"bucket":              &ratelimittest.TokenBucket{Policy: p},
			"bucket in steps":     &ratelimittest.TokenBucket{Policy: p, Step: r.window / 10},
			"exponential":         &ratelimittest.Exponential{Policy: p},
			"strict GCRA":         &ratelimittest.Linear{Policy: p, Strict: true},
			"GCRA with a penalty": &ratelimittest.Linear{Policy: p, Penalty: r.window / 2},
			"strict log":          &ratelimittest.SlidingLog{Policy: p, Strict: true},
			"strict exponential":  &ratelimittest.Exponential{Policy: p, Strict: true},
		}[name])
	}
	if len(all) == 1 {
		return all[0]
	}
	return ratelimittest.All(all...)
}
