package headway_test

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/headway-go/headway/ratelimittest"
)

// A rate is a quota per window.
type rate struct {
	quota  int64
	window time.Duration
}

func (r rate) String() string { return fmt.Sprintf("%d/%.0fs", r.quota, r.window.Seconds()) }

// A pacingAlgorithm makes limiters.
type pacingAlgorithm struct {
	name    string
	limiter limiterMaker
	// end tells when a window is over whose first request arrives at t. nil: the
	// algorithm has no windows.
	end func(t time.Time, window time.Duration) time.Time
}

// A limiterMaker makes a limiter for a run. begun is when the run begins, for
// what is to happen in the middle of it.
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
	linear = pacingAlgorithm{
		"linear",
		func(p ratelimittest.Policy, _ time.Time) ratelimittest.Limiter {
			return &ratelimittest.Linear{Policy: p}
		},
		nil,
	}
)

// each changes the limiters of all algorithms.
func each(all []pacingAlgorithm, change func(limiterMaker) limiterMaker) []pacingAlgorithm {
	changed := make([]pacingAlgorithm, len(all))
	for i, a := range all {
		a.limiter = change(a.limiter)
		changed[i] = a
	}
	return changed
}

// midRun is when something happens: a few windows after the beginning.
func midRun(p ratelimittest.Policy, begun time.Time) time.Time {
	return begun.Add(p.Window * 7 / 2)
}

// halved cuts the quota in half in mid-run.
func halved(limiter limiterMaker) limiterMaker {
	return func(p ratelimittest.Policy, begun time.Time) ratelimittest.Limiter {
		p.QuotaAt = func(now time.Time) int64 {
			if now.Before(midRun(p, begun)) {
				return p.Quota
			}
			return p.Quota / 2
		}
		return limiter(p, begun)
	}
}

// pushingBack refuses everything for 20 s in mid-run, whatever is left.
func pushingBack(limiter limiterMaker) limiterMaker {
	return func(p ratelimittest.Policy, begun time.Time) ratelimittest.Limiter {
		calm, from := limiter(p, begun), midRun(p, begun)
		until := from.Add(20 * time.Second)
		return ratelimittest.LimiterFunc(func(now time.Time, client string, cost int64) ratelimittest.Decision {
			if now.Before(from) || !now.Before(until) {
				return calm.Take(now, client, cost)
			}
			d := calm.Take(now, client, 0)
			d.Allowed, d.RetryAfter = false, until.Sub(now)
			return d
		})
	}
}

// alsoPerSecond adds a policy of 10 per second: a request needs quota of both, or
// takes of neither.
func alsoPerSecond(limiter limiterMaker) limiterMaker {
	return func(p ratelimittest.Policy, begun time.Time) ratelimittest.Limiter {
		second := ratelimittest.Policy{Name: "second", Quota: 10, Window: time.Second}
		long, short := limiter(p, begun), limiter(second, begun)
		var mu sync.Mutex
		return ratelimittest.LimiterFunc(func(now time.Time, client string, cost int64) ratelimittest.Decision {
			mu.Lock()
			defer mu.Unlock()
			// A refusal is free, so that whoever refuses may be asked for the time.
			a, b := long.Take(now, client, 0), short.Take(now, client, 0)
			fitsA, fitsB := a.Limits[0].Remaining >= cost, b.Limits[0].Remaining >= cost
			if fitsB || !fitsA {
				a = long.Take(now, client, cost)
			}
			if fitsA || !fitsB {
				b = short.Take(now, client, cost)
			}
			return ratelimittest.Decision{
				Allowed:    a.Allowed && b.Allowed,
				Limits:     append(a.Limits, b.Limits...),
				RetryAfter: max(a.RetryAfter, b.RetryAfter),
			}
		})
	}
}

// A pacingDialect is what a server tells of its limits.
type pacingDialect struct {
	name       string
	write      ratelimittest.Dialect
	retryAfter ratelimittest.Dialect // on refusals
	window     bool                  // it tells w
}

var (
	draft10        = pacingDialect{"draft-10", ratelimittest.Draft10, ratelimittest.RetryAfterSeconds, true}
	trio           = pacingDialect{"trio", ratelimittest.Trio, ratelimittest.RetryAfterSeconds, true}
	xRateLimit     = pacingDialect{"X-RateLimit", ratelimittest.XRateLimit, ratelimittest.RetryAfterSeconds, false}
	retryAfterOnly = pacingDialect{"Retry-After only", ratelimittest.Silent, ratelimittest.RetryAfterSeconds, false}
	bare429        = pacingDialect{"bare 429", ratelimittest.Silent, ratelimittest.Silent, false}
)

// ahead is the dialect of a server whose clock is that far ahead.
func (d pacingDialect) ahead(by time.Duration) pacingDialect {
	write := d.write
	d.name += fmt.Sprintf(", %+.0f s", by.Seconds())
	d.write = func(h http.Header, now time.Time, decision ratelimittest.Decision) {
		now = now.Add(by)
		h.Set("Date", now.UTC().Format(http.TimeFormat))
		write(h, now, decision)
	}
	return d
}
