package pacing

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/internal/test/sim"
	"github.com/headway-go/headway/ratelimittest"
	"github.com/headway-go/headway/validate"
)

// A harsh server makes it worse for clients that go on asking when they are refused.
type harsh struct {
	name    string
	quota   int64
	window  time.Duration
	limiter func(ratelimittest.Policy) ratelimittest.Limiter
	tells   ratelimittest.Dialect // nil: nothing, not even when to come back
	status  int                   // of refusals; a Profile says so if it is not 429
	banned  int                   // of bans; 0: as of refusals
	loads   harshLoads
}

// harshLoads are the bounds of each load that a server is under.
type harshLoads map[harshLoad]harshBounds

// A harshLoad is one client, alone.
type harshLoad string

const (
	batches  harshLoad = "batch"     // of eight workers, three times the quota or more
	shutOut  harshLoad = "shut out"  // the same at an address that is refused already
	lightUse harshLoad = "light use" // three tenths of the quota
)

// harshBounds are upper ones, a little above the worst of 100 seeds. The order of goroutines at one instant changes the
// figures of a seed.
type harshBounds struct {
	refused float64 // answers of 100 requests
	failed  float64 // likewise: refused more often than MaxRetries
	slow    float64 // time ÷ that of a clairvoyant client; of light use the median wait in seconds
}

// Clients come to terms with servers that ban, or that count refused requests: nobody is shut out for good, and who is
// shut out asks ever more rarely.
func TestHarshServers(t *testing.T) {
	for _, server := range harshServers() {
		name := fmt.Sprintf("%s, %d per %v", server.name, server.quota, server.window)
		for load, bounds := range server.loads {
			if kit.IsBrief() && load != batches {
				continue // it looks for other things
			}
			t.Run(name+", "+string(load), func(t *testing.T) {
				const runs = 4
				var mean harshBounds
				for run := range runs {
					synctest.Test(t, func(t *testing.T) {
						time.Sleep(time.Until(kit.Epoch().Add(time.Duration(run) * server.window / runs)))
						f := server.run(t, load, run)
						mean.refused += f.refused / runs
						mean.failed += f.failed / runs
						mean.slow += f.slow / runs
					})
				}
				t.Logf("%.1f refused and %.1f failed of 100, %.2f slow", mean.refused, mean.failed, mean.slow)
				require.LessOrEqual(t, mean.refused, bounds.refused)
				require.LessOrEqual(t, mean.failed, bounds.failed)
				require.LessOrEqual(t, mean.slow, bounds.slow)
			})
		}
	}
}

func harshServers() []harsh {
	const forbidden, unavailable, tooMany = http.StatusForbidden, http.StatusServiceUnavailable, http.StatusTooManyRequests
	fixed := func(p ratelimittest.Policy) ratelimittest.Limiter { return &ratelimittest.FixedWindow{Policy: p} }
	elastic := func(p ratelimittest.Policy) ratelimittest.Limiter {
		return &ratelimittest.FixedWindow{Policy: p, Elastic: true}
	}
	strict := func(p ratelimittest.Policy) ratelimittest.Limiter {
		return &ratelimittest.SlidingCounter{Policy: p, Strict: true}
	}
	ban := func(p ratelimittest.Policy) ratelimittest.Limiter { return ratelimittest.Ban(fixed(p), 2, 0) }
	renewed := func(p ratelimittest.Policy) ratelimittest.Limiter { return ratelimittest.Ban(fixed(p), 0, p.Window) }
	evasive := func(blocked time.Duration) func(ratelimittest.Policy) ratelimittest.Limiter {
		return func(p ratelimittest.Policy) ratelimittest.Limiter { // its times are whole seconds
			return ratelimittest.Ban(&ratelimittest.FixedWindow{Policy: p, Aligned: true}, 0, blocked)
		}
	}
	delta, epoch := sim.XRateLimitDelta, ratelimittest.XRateLimit
	// They tell their limits, so a ban is never seen. A clairvoyant client sends a window's quota at once, which of three
	// windows saves a third.
	fast, slow := harshLoads{batches: {0, 0, 1.27}, shutOut: {1, 0, 1.26}, lightUse: {0, 0, 0.01}}, harshLoads{batches: {0, 0, 1.55}, shutOut: {0.7, 0, 1.4}, lightUse: {0, 0, 0.01}}
	// Nobody knows of a ban before it comes. After that a pace has to be found from a success or two. Light use meets one by
	// chance: six requests in a second.
	blocked := harshLoads{batches: {17, 0.5, 13}, shutOut: {25, 3.5, 17}, lightUse: {8, 1.5, 80}}
	return []harsh{
		{"fastify, ban: 2", 60, time.Minute, ban, delta, tooMany, forbidden, slow},
		{"fastify, ban: 2", 10, 10 * time.Second, ban, delta, tooMany, forbidden, fast},
		{"fastify, continueExceeding", 60, time.Minute, renewed, delta, tooMany, 0, slow},
		{"fastify, continueExceeding", 10, 10 * time.Second, renewed, delta, tooMany, 0, fast},
		// Of an elastic window nothing comes back for those who ask evenly. Headway takes it for a sliding log.
		{"flask, elastic, with headers", 60, time.Minute, elastic, epoch, tooMany, 0, harshLoads{batches: {2.3, 0, 7.5}, shutOut: {2.8, 0, 5}, lightUse: {1.7, 0, 60}}},
		{"flask, elastic, with headers", 10, 10 * time.Second, elastic, epoch, tooMany, 0, harshLoads{batches: {10, 0, 9.5}, shutOut: {11, 0, 7.5}, lightUse: {10, 0, 160}}},
		{"flask, elastic", 60, time.Minute, elastic, nil, tooMany, 0, harshLoads{batches: {15, 2, 6.5}, shutOut: {20, 3, 7}, lightUse: {12, 3.5, 230}}},
		{"flask, elastic", 10, 10 * time.Second, elastic, nil, tooMany, 0, harshLoads{batches: {45, 8, 12}, shutOut: {56, 11, 12}, lightUse: {40, 8, 350}}},
		{"mod_evasive, 429", 5, time.Second, evasive(10 * time.Second), nil, tooMany, 0, blocked},
		{"mod_evasive, 403", 5, time.Second, evasive(10 * time.Second), nil, forbidden, 0, blocked},
		{"mod_evasive, 503", 5, time.Second, evasive(10 * time.Second), nil, unavailable, 0, blocked},
		{"mod_evasive, 429 for ten minutes", 5, time.Second, evasive(10 * time.Minute), nil, tooMany, 0, harshLoads{shutOut: {95, 24, 17}}},
		{"HAProxy", 40, 2 * time.Second, strict, nil, tooMany, 0, harshLoads{batches: {9, 0.5, 3.2}, shutOut: {14, 0.5, 5}, lightUse: {1, 0, 0.1}}},
		{"HAProxy", 20, 10 * time.Second, strict, nil, tooMany, 0, harshLoads{batches: {18, 0.5, 1.8}, shutOut: {23, 2.5, 3.4}, lightUse: {1, 0, 0.1}}},
		{"HAProxy", 100, time.Minute, strict, nil, tooMany, 0, harshLoads{batches: {7.5, 0.5, 1.8}, shutOut: {10.5, 1.2, 3.8}, lightUse: {1, 0, 0.1}}},
	}
}

// run measures one run.
func (h *harsh) run(t *testing.T, load harshLoad, run int) (f harshBounds) {
	t.Helper()
	const latency = 50 * time.Millisecond
	rng := kit.Chance(t, t.Name(), run)
	server := h.handler()
	transport := kit.SeededBy(rng, &headway.Transport{Base: &ratelimittest.Transport{Handler: server, Latency: latency}})
	if h.status != http.StatusTooManyRequests {
		transport.Profiles = []validate.Profile{{Host: "api.example.com", Statuses: []int{h.status}}}
	}
	client, req := &http.Client{Transport: transport}, kit.NewRequest(t, kit.URL)
	work := ratelimittest.Batch{Requests: max(3*int(h.quota), 100), Workers: 8}
	begun := time.Now()
	best := work.Optimum(h.new(), begun, latency)
	var outcomes []ratelimittest.Outcome
	switch load {
	case lightUse:
		outcomes = sim.Poisson(rng, work.Requests, h.window*10/time.Duration(3*h.quota)).Send(client, req)
		f.slow = (medianWait(outcomes, begun, time.Now()) - latency).Seconds()
	case shutOut: // by what another client at the same address has done
		var last ratelimittest.Decision
		for range h.quota + 5 {
			last = server.Limiter.Take(begun, "", 1)
		}
		best += last.RetryAfter
		fallthrough
	default:
		outcomes = work.Send(client, req)
		f.slow = time.Since(begun).Seconds() / best.Seconds()
	}
	arrivals := server.Arrivals()
	requireRarer(t, arrivals)
	hundreds := float64(len(outcomes)) / 100
	f.refused = float64(len(arrivals.Refused())) / hundreds
	f.failed = float64(len(outcomes)-countOutcomes(outcomes, http.StatusOK)) / hundreds
	return f
}

// requireRarer requires that a client that is shut out at first asks ever more rarely until it is let in. A wait is up to
// a second longer than the pause that the client has chosen, so that the next one may be shorter once pauses are a minute.
func requireRarer(t *testing.T, arrivals ratelimittest.Arrivals) {
	t.Helper()
	first := slices.IndexFunc(arrivals, func(a ratelimittest.Arrival) bool { return a.Allowed })
	var gap time.Duration
	for i := 1; i <= first; i++ {
		last := gap
		gap = arrivals[i].Time.Sub(arrivals[i-1].Time)
		require.GreaterOrEqual(t, gap, last-time.Second, "before ask %d, at %v", i, arrivals[i].Time)
	}
}

// new returns the server's limiter, which has decided nothing yet.
func (h *harsh) new() ratelimittest.Limiter {
	return h.limiter(ratelimittest.Policy{Quota: h.quota, Window: h.window})
}

func (h *harsh) handler() *ratelimittest.Handler {
	server := &ratelimittest.Handler{
		Limiter: h.new(),
		Dialect: h.tells,
		Client:  func(*http.Request) string { return "" },
		Refuse:  ratelimittest.Respond(h.status, "rate limit reached"),
		Banned:  ratelimittest.Respond(cmp.Or(h.banned, h.status), "rate limit reached"),
	}
	if h.tells == nil {
		server.Dialect, server.RetryAfter = ratelimittest.Silent, ratelimittest.Silent
	}
	return server
}
