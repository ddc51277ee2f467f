package pacing

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/headway-go/headway/internal/test/sim"
	"github.com/headway-go/headway/ratelimittest"
)

// A quotaRate is a quota per window.
type quotaRate struct {
	quota  int64
	window time.Duration
}

func (r quotaRate) String() string { return fmt.Sprintf("%d/%gs", r.quota, r.window.Seconds()) }

func (r quotaRate) policy() ratelimittest.Policy {
	return ratelimittest.Policy{Quota: r.quota, Window: r.window}
}

// A server limits its clients.
type server struct {
	name    string
	limiter limiterMaker
	// end returns the end of a window whose first request arrives at t. nil: the
	// algorithm has no windows.
	end func(t time.Time, window time.Duration) time.Time

	refusesWith int           // the status of refusals; 0: 429
	profile     bool          // a Profile of the host has that status
	bansWith    int           // 0: the status of refusals
	service     time.Duration // of each request
	flaky       *ratelimittest.Fault
	optimum     func(requests int, latency time.Duration) time.Duration // nil: ratelimittest knows it
}

// A limiterMaker makes a limiter for a run. begun is when the run begins, for events in mid-run.
type limiterMaker func(p ratelimittest.Policy, begun time.Time) ratelimittest.Limiter

// change changes a run's scenario.
func (s server) change(run *ratelimittest.Scenario, rng *rand.Rand) {
	if s.refusesWith > 0 {
		run.Refuse = ratelimittest.Respond(s.refusesWith, "rate limit reached")
		run.Banned = ratelimittest.Respond(cmp.Or(s.bansWith, s.refusesWith), "rate limit reached")
	}
	if s.service > 0 {
		run.Next = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(s.service) })
	}
	if s.flaky != nil {
		fault := *s.flaky
		fault.When = sim.Chance(rand.New(rand.NewPCG(rng.Uint64(), 1)), 0.1)
		run.Front = fault.Wrap
	}
}

var (
	aligned = server{name: "fixed, aligned", limiter: func(p ratelimittest.Policy, _ time.Time) ratelimittest.Limiter {
		return &ratelimittest.FixedWindow{Policy: p, Aligned: true}
	}, end: func(t time.Time, window time.Duration) time.Time { return t.Truncate(window).Add(window) }}
	opened = server{name: "fixed, by request", limiter: func(p ratelimittest.Policy, _ time.Time) ratelimittest.Limiter {
		return &ratelimittest.FixedWindow{Policy: p}
	}, end: time.Time.Add}
	linear = gradual("linear", func(p ratelimittest.Policy) ratelimittest.Limiter {
		return &ratelimittest.Linear{Policy: p}
	})
	counter = gradual("sliding counter", func(p ratelimittest.Policy) ratelimittest.Limiter {
		return &ratelimittest.SlidingCounter{Policy: p}
	})
	slidingLog = gradual("sliding log", func(p ratelimittest.Policy) ratelimittest.Limiter {
		return &ratelimittest.SlidingLog{Policy: p}
	})
	fullLog = gradual("sliding log, t until empty", func(p ratelimittest.Policy) ratelimittest.Limiter {
		return &ratelimittest.SlidingLog{Policy: p, FullReset: true}
	})
	bucket = gradual("token bucket", func(p ratelimittest.Policy) ratelimittest.Limiter {
		return &ratelimittest.TokenBucket{Policy: p}
	})
	fullBucket = gradual("token bucket, t until full", func(p ratelimittest.Policy) ratelimittest.Limiter {
		return &ratelimittest.TokenBucket{Policy: p, FullReset: true}
	})
	steps = gradual("token bucket in steps", func(p ratelimittest.Policy) ratelimittest.Limiter {
		return &ratelimittest.TokenBucket{Policy: p, Step: p.Window / 10}
	})
	exponential = gradual("exponential", func(p ratelimittest.Policy) ratelimittest.Limiter {
		return &ratelimittest.Exponential{Policy: p}
	})
	strictLinear = gradual("linear, strict", func(p ratelimittest.Policy) ratelimittest.Limiter {
		return &ratelimittest.Linear{Policy: p, Strict: true}
	})
	penalty = gradual("linear with a penalty", func(p ratelimittest.Policy) ratelimittest.Limiter {
		return &ratelimittest.Linear{Policy: p, Penalty: p.Window / 2}
	})
	strictLog = gradual("sliding log, strict", func(p ratelimittest.Policy) ratelimittest.Limiter {
		return &ratelimittest.SlidingLog{Policy: p, Strict: true}
	})
	strictExponential = gradual("exponential, strict", func(p ratelimittest.Policy) ratelimittest.Limiter {
		return &ratelimittest.Exponential{Policy: p, Strict: true}
	})
)

// unlimited has no limit.
var unlimited = server{name: "no limit", limiter: func(ratelimittest.Policy, time.Time) ratelimittest.Limiter { return nil }}

// concurrent returns a server with a limit on concurrent requests, which is the rate's quota. Its refusals report a pause.
func concurrent(name string, pause time.Duration) server {
	return gradual(name, func(p ratelimittest.Policy) ratelimittest.Limiter {
		limiter := &ratelimittest.Concurrency{Policy: ratelimittest.Policy{Quota: p.Quota}}
		limiter.RetryAfter = pause
		return limiter
	})
}

// gradual returns an algorithm whose units come back one by one.
func gradual(name string, limiter func(ratelimittest.Policy) ratelimittest.Limiter) server {
	return server{name: name, limiter: func(p ratelimittest.Policy, _ time.Time) ratelimittest.Limiter { return limiter(p) }}
}

// each changes the limiters of all algorithms.
func each(all []server, change func(limiterMaker) limiterMaker) []server {
	changed := make([]server, len(all))
	for i, a := range all {
		a.limiter = change(a.limiter)
		changed[i] = a
	}
	return changed
}

// midRun is the time of events in mid-run: a few windows after the beginning.
func midRun(p ratelimittest.Policy, begun time.Time) time.Time {
	return begun.Add(p.Window * 7 / 2)
}

// halved halves the quota in mid-run.
func halved(limiter limiterMaker) limiterMaker {
	return func(p ratelimittest.Policy, begun time.Time) ratelimittest.Limiter {
		p.QuotaAt = sim.LowerQuota(p.Quota, p.Quota/2, midRun(p, begun))
		return limiter(p, begun)
	}
}

// pushingBack refuses all requests for 20 s in mid-run, regardless of the remaining quota.
func pushingBack(limiter limiterMaker) limiterMaker {
	return func(p ratelimittest.Policy, begun time.Time) ratelimittest.Limiter {
		from := midRun(p, begun)
		return sim.PushBack(limiter(p, begun), from, from.Add(20*time.Second))
	}
}

// alsoPerSecond adds a policy of 10 per second.
func alsoPerSecond(limiter limiterMaker) limiterMaker {
	return func(p ratelimittest.Policy, begun time.Time) ratelimittest.Limiter {
		second := ratelimittest.Policy{Name: "second", Quota: 10, Window: time.Second}
		return ratelimittest.All(limiter(p, begun), limiter(second, begun))
	}
}

// alsoShort adds a policy of 3 per second.
func alsoShort(limiter limiterMaker) limiterMaker {
	return func(p ratelimittest.Policy, begun time.Time) ratelimittest.Limiter {
		return ratelimittest.All(limiter(p, begun), limiter(ratelimittest.Policy{Name: "short", Quota: 3, Window: time.Second}, begun))
	}
}

// A dialect is how a server reports its limits.
type dialect struct {
	name       string
	write      ratelimittest.Dialect
	retryAfter ratelimittest.Dialect // on refusals
	isEven     bool                  // the busiest tenth has a bound: the server reports the window, or no time at all
}

var (
	draft10        = dialect{"draft-10", ratelimittest.Draft10, sim.RetryAfterSeconds, true}
	trio           = dialect{"trio", ratelimittest.Trio, sim.RetryAfterSeconds, true}
	xRateLimit     = dialect{"X-RateLimit", ratelimittest.XRateLimit, sim.RetryAfterSeconds, false}
	draft07        = dialect{"draft-07", sim.Draft07, sim.RetryAfterSeconds, true}
	trioInLimit    = dialect{"trio, w in -Limit", sim.TrioInLimit, sim.RetryAfterDate, true}
	xMillis        = dialect{"X-RateLimit, ms", sim.XRateLimitMillis, sim.RetryAfterSeconds, false}
	xRFC3339       = dialect{"X-RateLimit, date", sim.XRateLimitRFC3339, sim.RetryAfterDate, false}
	xDelta         = dialect{"X-RateLimit, delta", sim.XRateLimitDelta, sim.RetryAfterSeconds, false}
	xDeltaMillis   = dialect{"X-RateLimit, delta in ms", inMilliseconds, sim.RetryAfterSeconds, false}
	counts         = dialect{"X-RateLimit without a reset", sim.XRateLimitCounts, sim.RetryAfterSeconds, true}
	dimensioned    = dialect{"dimensioned", sim.Dimensioned, sim.RetryAfterSeconds, false}
	throttlers     = dialect{"named throttlers", calledLong, ratelimittest.Silent, false}
	retryAfterOnly = dialect{"Retry-After only", ratelimittest.Silent, sim.RetryAfterSeconds, false}
	bare429        = dialect{"bare 429", ratelimittest.Silent, ratelimittest.Silent, false}
)

// even returns the dialect with a bound for the busiest tenth.
func (d dialect) even() dialect {
	d.isEven = true
	return d
}

// inMilliseconds has a reset that is a delay in milliseconds, as Blockscout and others send it.
func inMilliseconds(h http.Header, now time.Time, d ratelimittest.Decision) {
	sim.XRateLimitDelta(h, now, d)
	h.Set("X-RateLimit-Reset", strconv.FormatInt(d.Limits[0].Reset.Milliseconds(), 10))
}

// calledLong reports the limits as those of named throttlers; limits without a name are called "long".
func calledLong(h http.Header, now time.Time, d ratelimittest.Decision) {
	d.Limits = slices.Clone(d.Limits)
	for i := range d.Limits {
		d.Limits[i].Policy = cmp.Or(d.Limits[i].Policy, "long")
	}
	sim.Throttlers(h, now, d)
}

// ahead returns the dialect of a server whose clock is ahead by d.
func (d dialect) ahead(by time.Duration) dialect {
	d.name += fmt.Sprintf(", %+.0f s", by.Seconds())
	d.write = d.write.Skewed(by)
	return d
}
