package ratelimittest_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

const s, ms = time.Second, time.Millisecond

var start = time.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC)

// A take is one request to a limiter, with its time after start and the expected decision.
type take struct {
	at         time.Duration
	cost       int64
	allowed    bool
	remaining  int64
	reset      time.Duration
	retryAfter time.Duration
}

func requireTakes(t *testing.T, l ratelimittest.Limiter, takes []take) {
	t.Helper()
	tolerance := 0.
	if _, ok := l.(*ratelimittest.Exponential); ok {
		tolerance = 1e3 // the least Δ, 1e-10 of a window, adds some hundred nanoseconds to a burst
	}
	for i, want := range takes {
		d := l.Take(start.Add(want.at), "client", want.cost)
		require.Len(t, d.Limits, 1)
		require.Equal(t, want.allowed, d.Allowed, "take %d at %v", i, want.at)
		require.Equal(t, want.remaining, d.Limits[0].Remaining, "take %d at %v", i, want.at)
		require.InDelta(t, want.reset, d.Limits[0].Reset, tolerance, "take %d at %v: %v", i, want.at, d.Limits[0].Reset)
		require.InDelta(t, want.retryAfter, d.RetryAfter, tolerance, "take %d at %v: %v", i, want.at, d.RetryAfter)
	}
}

// lowerQuota returns a Policy per minute whose quota is lower in [from, until).
func lowerQuota(quota, lower int64, from, until time.Duration) ratelimittest.Policy {
	return ratelimittest.Policy{QuotaAt: func(now time.Time) int64 {
		if now.Before(start.Add(from)) || !now.Before(start.Add(until)) {
			return quota
		}
		return lower
	}}
}

var (
	twoPerMinute = ratelimittest.Per(2, time.Minute)
	tenPerMinute = ratelimittest.Per(10, time.Minute)
)

// An algorithm is a Limiter beside a worked example of what it decides.
type algorithm struct {
	name    string
	limiter ratelimittest.Limiter
	takes   []take
}

func requireAlgorithms(t *testing.T, rows []algorithm) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) { requireTakes(t, row.limiter, row.takes) })
	}
}

func TestFixedWindow(t *testing.T) {
	requireAlgorithms(t, []algorithm{
		{"opened by the first request, at 0:45", &ratelimittest.FixedWindow{Policy: tenPerMinute}, []take{
			{at: 0, cost: 0, allowed: true, remaining: 10, reset: 60 * s},
			{at: 45 * s, cost: 9, allowed: true, remaining: 1, reset: 60 * s},
			{at: 50 * s, cost: 1, allowed: true, remaining: 0, reset: 55 * s},
			{at: 105*s - 1, cost: 1, allowed: false, reset: 1, retryAfter: 1},
			{at: 105 * s, cost: 1, allowed: true, remaining: 9, reset: 60 * s},
		}},
		{"aligned: two bursts around a boundary", &ratelimittest.FixedWindow{Policy: tenPerMinute, Aligned: true}, []take{
			{at: 59 * s, cost: 10, allowed: true, remaining: 0, reset: s},
			{at: 60 * s, cost: 7, allowed: true, remaining: 3, reset: 60 * s},
			{at: 75 * s, cost: 4, allowed: false, remaining: 3, reset: 45 * s, retryAfter: 45 * s},
			{at: 75 * s, cost: 3, allowed: true, remaining: 0, reset: 45 * s},
		}},
		{"elastic: a request extends the window, even a refused one", &ratelimittest.FixedWindow{Policy: twoPerMinute, Elastic: true}, []take{
			{at: 0, cost: 1, allowed: true, remaining: 1, reset: 60 * s},
			{at: 10 * s, cost: 2, allowed: false, remaining: 1, reset: 60 * s, retryAfter: 60 * s}, // and takes no quota
			{at: 20 * s, cost: 1, allowed: true, remaining: 0, reset: 60 * s},
			{at: 79 * s, cost: 1, allowed: false, reset: 60 * s, retryAfter: 60 * s},
			{at: 100 * s, cost: 0, allowed: true, reset: 39 * s}, // a report extends nothing
			{at: 139 * s, cost: 1, allowed: true, remaining: 1, reset: 60 * s},
			{at: 100 * s, cost: 1, allowed: true, remaining: 0, reset: 99 * s}, // a clock set back does not shorten it
		}},
	})
}

func TestTokenBucket(t *testing.T) {
	requireAlgorithms(t, []algorithm{
		{"a full bucket, then one token per interval", &ratelimittest.TokenBucket{Policy: ratelimittest.Per(2, 2*s)}, []take{
			{at: s, cost: 1, allowed: true, remaining: 1, reset: s},
			{at: 0, cost: 1, allowed: true, remaining: 0, reset: 2 * s}, // the clock is set back
			{at: s, cost: 1, allowed: false, remaining: 0, reset: s, retryAfter: s},
			{at: 2*s - 1, cost: 1, allowed: false, remaining: 0, reset: 1, retryAfter: 1},
			{at: 2 * s, cost: 1, allowed: true, remaining: 0, reset: s}, // refused requests were free
		}},
		{"capacity 5 and 10 per second", &ratelimittest.TokenBucket{Policy: ratelimittest.Per(10, s), Capacity: 5}, []take{
			{at: 0, cost: 5, allowed: true, remaining: 0, reset: 100 * ms},
			{at: 250 * ms, cost: 1, allowed: true, remaining: 1, reset: 50 * ms}, // 2.5 − 1
			{at: 250 * ms, cost: 3, allowed: false, remaining: 1, reset: 50 * ms, retryAfter: 150 * ms},
			{at: 400 * ms, cost: 3, allowed: true, remaining: 0, reset: 100 * ms},
			{at: s, cost: 6, allowed: false, remaining: 5, reset: 100 * ms}, // full after 0.5 s
		}},
		{"capacity 10 and 5 every 10 s at once", &ratelimittest.TokenBucket{Policy: ratelimittest.Per(30, 60*s), Capacity: 10, Step: 10 * s}, []take{
			{at: 3 * s, cost: 9, allowed: true, remaining: 1, reset: 10 * s},
			{at: 8 * s, cost: 1, allowed: true, remaining: 0, reset: 5 * s},
			{at: 8 * s, cost: 6, allowed: false, remaining: 0, reset: 5 * s, retryAfter: 15 * s},
			{at: 13*s - 1, cost: 1, allowed: false, remaining: 0, reset: 1, retryAfter: 1},
			{at: 13 * s, cost: 1, allowed: true, remaining: 4, reset: 10 * s},
			{at: 24 * s, cost: 1, allowed: true, remaining: 8, reset: 9 * s},
			{at: 34 * s, cost: 10, allowed: true, remaining: 0, reset: 10 * s}, // the bucket was full, so the steps begin anew
			{at: 43 * s, cost: 1, allowed: false, remaining: 0, reset: s, retryAfter: s},
		}},
		{"FullReset: the time until the bucket is full", &ratelimittest.TokenBucket{Policy: ratelimittest.Per(10, 10*s), FullReset: true}, []take{
			{at: 0, cost: 4, allowed: true, remaining: 6, reset: 4 * s},
			{at: 1500 * ms, cost: 8, allowed: false, remaining: 7, reset: 2500 * ms, retryAfter: 500 * ms},
			{at: 4 * s, cost: 0, allowed: true, remaining: 10, reset: 0},
		}},
		{"a bucket that is never filled", &ratelimittest.TokenBucket{Capacity: 10}, []take{
			{at: 0, cost: 1, allowed: false, remaining: 0, reset: -1},
			{at: 0, cost: -1, allowed: true, remaining: 0, reset: -1},
		}},
		{"a product of quota and window that overflows 64 bits", &ratelimittest.TokenBucket{Policy: ratelimittest.Per(1<<62, 24*time.Hour)}, []take{
			{at: 0, cost: 1 << 62, allowed: true, remaining: 0, reset: 1},
			{at: 12 * time.Hour, cost: 1 << 61, allowed: true, remaining: 0, reset: 1},
		}},
		{"a quota that falls and rises", &ratelimittest.TokenBucket{Policy: lowerQuota(60, 30, s, 10*s)}, []take{
			{at: 0, cost: 12, allowed: true, remaining: 48, reset: s},
			{at: s, cost: 30, allowed: true, remaining: 0, reset: 2 * s},
			{at: 4 * s, cost: 1, allowed: true, remaining: 0, reset: s}, // 1.5 − 1
			{at: 11 * s, cost: 1, allowed: true, remaining: 6, reset: 500 * ms},
		}},
	})
}

func TestSlidingLog(t *testing.T) {
	requireAlgorithms(t, []algorithm{
		{"the worked example of the moving window", &ratelimittest.SlidingLog{Policy: tenPerMinute}, []take{
			{at: 10 * s, cost: 1, allowed: true, remaining: 9, reset: 60 * s},
			{at: 20 * s, cost: 2, allowed: true, remaining: 7, reset: 50 * s},
			{at: 30 * s, cost: 4, allowed: true, remaining: 3, reset: 40 * s},
			{at: 50 * s, cost: 4, allowed: false, remaining: 3, reset: 20 * s, retryAfter: 20 * s},
			{at: 50 * s, cost: 5, allowed: false, remaining: 3, reset: 20 * s, retryAfter: 30 * s},
			{at: 50 * s, cost: 3, allowed: true, remaining: 0, reset: 20 * s},
			{at: 71 * s, cost: 1, allowed: true, remaining: 0, reset: 9 * s}, // the unit of 0:10 has expired
			{at: 80*s - 1, cost: 1, allowed: false, remaining: 0, reset: 1, retryAfter: 1},
			{at: 80 * s, cost: 1, allowed: true, remaining: 1, reset: 10 * s}, // refused requests were free
			{at: 200 * s, cost: 0, allowed: true, remaining: 10, reset: 60 * s},
		}},
		{"FullReset: the time until the log is empty", &ratelimittest.SlidingLog{Policy: tenPerMinute, FullReset: true}, []take{
			{at: 0, cost: 0, allowed: true, remaining: 10, reset: 0},
			{at: 0, cost: 9, allowed: true, remaining: 1, reset: 60 * s},
			{at: 50 * s, cost: 1, allowed: true, remaining: 0, reset: 60 * s},
			{at: 55 * s, cost: 1, allowed: false, remaining: 0, reset: 55 * s, retryAfter: 5 * s},
			{at: 60 * s, cost: 0, allowed: true, remaining: 9, reset: 50 * s},
		}},
		{"strict: refused requests keep the client out", &ratelimittest.SlidingLog{Policy: ratelimittest.Per(3, time.Minute), Strict: true}, []take{
			{at: 0, cost: 3, allowed: true, remaining: 0, reset: 60 * s},
			{at: 30 * s, cost: 1, allowed: false, remaining: 0, reset: 30 * s, retryAfter: 30 * s}, // 2 units of 0:00 and 1 of 0:30
			{at: 40 * s, cost: 1, allowed: false, remaining: 0, reset: 20 * s, retryAfter: 20 * s},
			{at: 50 * s, cost: 1, allowed: false, remaining: 0, reset: 40 * s, retryAfter: 40 * s}, // only refused units are left
			{at: 60 * s, cost: 1, allowed: false, remaining: 0, reset: 40 * s, retryAfter: 40 * s},
			{at: 100 * s, cost: 1, allowed: true, remaining: 0, reset: 10 * s},
		}},
		{"strict: a refused cost must expire before it fits", &ratelimittest.SlidingLog{Policy: tenPerMinute, Strict: true}, []take{
			{at: 0, cost: 4, allowed: true, remaining: 6, reset: 60 * s},
			{at: 10 * s, cost: 7, allowed: false, remaining: 0, reset: 50 * s, retryAfter: 60 * s},
			{at: 20 * s, cost: 100, allowed: false, remaining: 0, reset: 60 * s},
			{at: 80 * s, cost: 7, allowed: true, remaining: 3, reset: 60 * s},
		}},
		{"a clock set back", &ratelimittest.SlidingLog{Policy: twoPerMinute}, []take{
			{at: 10 * s, cost: 1, allowed: true, remaining: 1, reset: 60 * s},
			{at: 0, cost: 1, allowed: true, remaining: 0, reset: 70 * s},
			{at: 70*s - 1, cost: 1, allowed: false, remaining: 0, reset: 1, retryAfter: 1}, // not forgotten early
			{at: 70 * s, cost: 2, allowed: true, remaining: 0, reset: 60 * s},
		}},
	})
}

func TestSlidingCounter(t *testing.T) {
	requireAlgorithms(t, []algorithm{
		{"the worked example of 40 in the previous and 80 in the current bucket", &ratelimittest.SlidingCounter{Policy: ratelimittest.Per(100, time.Minute)}, []take{
			{at: 10 * s, cost: 40, allowed: true, remaining: 60, reset: 50 * s},
			{at: 60 * s, cost: 60, allowed: true, remaining: 0, reset: 60 * s},
			{at: 90 * s, cost: 20, allowed: true, remaining: 0, reset: 30 * s},
			{at: 90 * s, cost: 1, allowed: false, remaining: 0, reset: 30 * s, retryAfter: 1}, // 80 + 40 × 30/60 = 100
			{at: 100 * s, cost: 1, allowed: true, remaining: 6, reset: 20 * s},                // 81 + 40 × 20/60 = 94.3
			{at: 120 * s, cost: 0, allowed: true, remaining: 19, reset: 60 * s},
			{at: 180 * s, cost: 0, allowed: true, remaining: 100, reset: 60 * s},
		}},
		{"a new bucket begins with the weight of the last one", &ratelimittest.SlidingCounter{Policy: tenPerMinute}, []take{
			{at: 59 * s, cost: 10, allowed: true, remaining: 0, reset: s},
			{at: 59 * s, cost: 1, allowed: false, remaining: 0, reset: s, retryAfter: s + 1}, // 10 × (T − 1 ns)/T = 9.9
			{at: 60 * s, cost: 1, allowed: false, remaining: 0, reset: 60 * s, retryAfter: 1},
			{at: 60*s + 1, cost: 1, allowed: true, remaining: 0, reset: 60*s - 1},
			{at: 72 * s, cost: 1, allowed: true, remaining: 0, reset: 48 * s}, // 2 + 10 × 48/60 = 10
		}},
		{"a clock set back far does not forget a client early", &ratelimittest.SlidingCounter{Policy: tenPerMinute}, []take{
			{at: 60 * s, cost: 9, allowed: true, remaining: 1, reset: 60 * s},
			{at: 0, cost: 1, allowed: true, remaining: 0, reset: 120 * s},
			{at: 131 * s, cost: 0, allowed: true, remaining: 2, reset: 49 * s}, // 10 × 49/60 = 8.2
		}},
	})
}

// With 10 per minute, a request moves the timestamp by 6 s.
func TestLinear(t *testing.T) {
	requireAlgorithms(t, []algorithm{
		{"each request uses one interval", &ratelimittest.Linear{Policy: tenPerMinute}, []take{
			{at: 0, cost: 0, allowed: true, remaining: 10, reset: 60 * s},
			{at: 0, cost: 2, allowed: true, remaining: 8, reset: 48 * s},
			{at: 2 * s, cost: 1, allowed: true, remaining: 7, reset: 44 * s}, // 48 + 2 − 6; 44/6 = 7.3
			{at: 2 * s, cost: 8, allowed: false, remaining: 7, reset: 44 * s, retryAfter: 4 * s},
			{at: time.Hour, cost: 1, allowed: true, remaining: 9, reset: 54 * s}, // unused time is clamped to the window
		}},
		{"a burst of the whole quota, then one per interval", &ratelimittest.Linear{Policy: ratelimittest.Per(2, 2*s)}, []take{
			{at: 0, cost: 2, allowed: true, remaining: 0, reset: 0},
			{at: 999 * ms, cost: 1, allowed: false, remaining: 0, reset: 999 * ms, retryAfter: ms},
			{at: s, cost: 1, allowed: true, remaining: 0, reset: 0}, // refused requests were free
			{at: 0, cost: 1, allowed: false, remaining: 0, reset: s, retryAfter: 2 * s},
		}},
		{"strict: a refused request costs the remaining quota, and the timestamp becomes now", &ratelimittest.Linear{Policy: tenPerMinute, Strict: true}, []take{
			{at: 0, cost: 9, allowed: true, remaining: 1, reset: 6 * s},
			{at: 0, cost: 2, allowed: false, remaining: 0, reset: 0, retryAfter: 12 * s},
			{at: 5 * s, cost: 1, allowed: false, remaining: 0, reset: 0, retryAfter: 6 * s},
			{at: 0, cost: 1, allowed: false, remaining: 0, reset: 5 * s, retryAfter: 11 * s}, // a clock set back refunds nothing
			{at: 11*s - 1, cost: 0, allowed: true, remaining: 0, reset: 6*s - 1},             // cost 0 only reports
			{at: 11 * s, cost: 1, allowed: true, remaining: 0, reset: 0},
			{at: 50 * s, cost: 11, allowed: false, remaining: 0, reset: 0},
		}},
		{"penalty: each refused request moves the timestamp, up to a minute ahead", &ratelimittest.Linear{Policy: tenPerMinute, Penalty: 60 * s}, []take{
			{at: 0, cost: 9, allowed: true, remaining: 1, reset: 6 * s},
			{at: 0, cost: 2, allowed: false, remaining: 0, reset: 6 * s, retryAfter: 18 * s}, // now + 6
			{at: 0, cost: 1, allowed: false, remaining: 0, reset: 12 * s, retryAfter: 18 * s},
			{at: 4 * s, cost: 7, allowed: false, remaining: 0, reset: 50 * s, retryAfter: 92 * s},
			{at: 4 * s, cost: 11, allowed: false, remaining: 0, reset: 60 * s}, // clamped
			{at: 4 * s, cost: 1, allowed: false, remaining: 0, reset: 60 * s, retryAfter: 66 * s},
			{at: 0, cost: 1, allowed: false, remaining: 0, reset: 64 * s, retryAfter: 70 * s}, // a clock set back refunds nothing
			{at: 69 * s, cost: 0, allowed: true, remaining: 0, reset: 5 * s},
			{at: 70 * s, cost: 1, allowed: true, remaining: 0, reset: 0},
		}},
	})
}

func TestExponential(t *testing.T) {
	seconds := func(x float64) time.Duration { return time.Duration(x * 1e9) }
	requireAlgorithms(t, []algorithm{
		{"a fast burst counts in full, up to limit/cost requests", &ratelimittest.Exponential{Policy: ratelimittest.Per(3, 60*s)}, []take{
			{at: 0, cost: 0, allowed: true, remaining: 3, reset: 60 * s},
			{at: 0, cost: 1, allowed: true, remaining: 2, reset: 40 * s},
			{at: 0, cost: 1, allowed: true, remaining: 1, reset: 20 * s},
			{at: 0, cost: 1, allowed: true, remaining: 0, reset: 0},
			// At the maximum average, the next request is allowed after the interval of one unit.
			{at: 0, cost: 1, allowed: false, retryAfter: 20 * s},
			{at: 20 * s, cost: 1, allowed: true},
			{at: 30 * s, cost: 1, allowed: false, reset: seconds(60 * (1 - math.Exp(-1./6))), retryAfter: 10 * s},
			{at: 40 * s, cost: 1, allowed: true},
			{at: 30 * s, cost: 1, allowed: false, retryAfter: 30 * s}, // the clock is set back: no time has passed
		}},
		{"63 % is forgotten in a period", &ratelimittest.Exponential{Policy: ratelimittest.Per(1000, 60*s)}, []take{
			{at: 0, cost: 1000, allowed: true, remaining: 0, reset: 0},
			{at: 60 * s, cost: 0, allowed: true, remaining: 632, reset: seconds(60 * (1 - 1/math.E))},
			// 100 × (1 − 1/e²)/2 + 1000/e² = 178.57
			{at: 120 * s, cost: 100, allowed: true, remaining: 821, reset: seconds(60 * (1 - 0.05*(1-math.Exp(-2)) - math.Exp(-2)))},
			{at: 2 * time.Hour, cost: 300, allowed: true, remaining: 700, reset: 42 * s}, // a rare request counts as its cost
		}},
		{"strict: refused requests count", &ratelimittest.Exponential{Policy: tenPerMinute, Strict: true}, []take{
			{at: 0, cost: 10, allowed: true, remaining: 0, reset: 0},
			// (1 − alpha)/Δ + 11 × alpha = 10 at Δ = 0.190765; 12 instead of 11: 0.273862.
			{at: 0, cost: 1, allowed: false, retryAfter: 11445890 * time.Microsecond},
			{at: 0, cost: 1, allowed: false, retryAfter: 16431734 * time.Microsecond},
			{at: 16431734*time.Microsecond + 1, cost: 1, allowed: true},
			{at: time.Hour, cost: 11, allowed: false, remaining: 0, reset: 0},
			{at: time.Hour, cost: 1, allowed: false, remaining: 0, reset: 0, retryAfter: 16431734 * time.Microsecond},
		}},
	})
}
