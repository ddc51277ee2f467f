package pacing

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/headway-go/headway/internal/test/sim"
	"github.com/headway-go/headway/ratelimittest"
)

// A quotaRate is a quota per window.
type quotaRate struct {
	quota  int64
	window time.Duration
}

func (r quotaRate) String() string { return fmt.Sprintf("%d/%.0fs", r.quota, r.window.Seconds()) }

// A pacingAlgorithm makes limiters.
type pacingAlgorithm struct {
	name    string
	limiter limiterMaker
	// end returns the end of a window whose first request arrives at t. nil: the
	// algorithm has no windows.
	end func(t time.Time, window time.Duration) time.Time
}

// A limiterMaker makes a limiter for a run. begun is when the run begins, for events in mid-run.
type limiterMaker func(p ratelimittest.Policy, begun time.Time) ratelimittest.Limiter

var (
	aligned = pacingAlgorithm{
		"fixed, aligned",
		func(p ratelimittest.Policy, _ time.Time) ratelimittest.Limiter {
			return &ratelimittest.FixedWindow{Policy: p, Aligned: true}
		},
		func(t time.Time, window time.Duration) time.Time { return t.Truncate(window).Add(window) },
	}
	opened = pacingAlgorithm{
		"fixed, by request",
		func(p ratelimittest.Policy, _ time.Time) ratelimittest.Limiter {
			return &ratelimittest.FixedWindow{Policy: p}
		},
		time.Time.Add,
	}
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

// gradual returns an algorithm whose units come back one by one.
func gradual(name string, limiter func(ratelimittest.Policy) ratelimittest.Limiter) pacingAlgorithm {
	return pacingAlgorithm{name, func(p ratelimittest.Policy, _ time.Time) ratelimittest.Limiter { return limiter(p) }, nil}
}

// each changes the limiters of all algorithms.
func each(all []pacingAlgorithm, change func(limiterMaker) limiterMaker) []pacingAlgorithm {
	changed := make([]pacingAlgorithm, len(all))
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

// A pacingDialect is how a server reports its limits.
type pacingDialect struct {
	name       string
	write      ratelimittest.Dialect
	retryAfter ratelimittest.Dialect // on refusals
	isEven     bool                  // the busiest tenth has a bound: the server reports the window, or no time at all
}

var (
	draft10        = pacingDialect{"draft-10", ratelimittest.Draft10, sim.RetryAfterSeconds, true}
	trio           = pacingDialect{"trio", ratelimittest.Trio, sim.RetryAfterSeconds, true}
	xRateLimit     = pacingDialect{"X-RateLimit", ratelimittest.XRateLimit, sim.RetryAfterSeconds, false}
	draft07        = pacingDialect{"draft-07", sim.Draft07, sim.RetryAfterSeconds, true}
	trioInLimit    = pacingDialect{"trio, w in -Limit", sim.TrioInLimit, sim.RetryAfterDate, true}
	xMillis        = pacingDialect{"X-RateLimit, ms", sim.XRateLimitMillis, sim.RetryAfterSeconds, false}
	xRFC3339       = pacingDialect{"X-RateLimit, date", sim.XRateLimitRFC3339, sim.RetryAfterDate, false}
	xDelta         = pacingDialect{"X-RateLimit, delta", sim.XRateLimitDelta, sim.RetryAfterSeconds, false}
	counts         = pacingDialect{"X-RateLimit without a reset", sim.XRateLimitCounts, sim.RetryAfterSeconds, true}
	dimensioned    = pacingDialect{"dimensioned", sim.Dimensioned, sim.RetryAfterSeconds, false}
	throttlers     = pacingDialect{"named throttlers", calledLong, ratelimittest.Silent, false}
	retryAfterOnly = pacingDialect{"Retry-After only", ratelimittest.Silent, sim.RetryAfterSeconds, false}
	bare429        = pacingDialect{"bare 429", ratelimittest.Silent, ratelimittest.Silent, false}
)

// calledLong reports the limits as those of named throttlers; limits without a name are called "long".
func calledLong(h http.Header, now time.Time, d ratelimittest.Decision) {
	d.Limits = slices.Clone(d.Limits)
	for i := range d.Limits {
		d.Limits[i].Policy = cmp.Or(d.Limits[i].Policy, "long")
	}
	sim.Throttlers(h, now, d)
}

// ahead returns the dialect of a server whose clock is ahead by d.
func (d pacingDialect) ahead(by time.Duration) pacingDialect {
	d.name += fmt.Sprintf(", %+.0f s", by.Seconds())
	d.write = d.write.Skewed(by)
	return d
}
