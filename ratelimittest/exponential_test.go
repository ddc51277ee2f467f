package ratelimittest_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

func exponential(quota int64, window time.Duration, strict bool) *ratelimittest.Exponential {
	e := &ratelimittest.Exponential{Policy: ratelimittest.Per(quota, window)}
	e.Strict = strict
	return e
}

// requireTakesAbout is requireTakes with a tolerance of a microsecond. The least Δ, 1e-10 of a window, adds
// some hundred nanoseconds to a burst.
func requireTakesAbout(t *testing.T, l ratelimittest.Limiter, takes []take) {
	t.Helper()
	for i, want := range takes {
		d := l.Take(start.Add(want.at), "client", want.cost)
		require.Len(t, d.Limits, 1)
		require.Equal(t, want.allowed, d.Allowed, "take %d at %v", i, want.at)
		require.Equal(t, want.remaining, d.Limits[0].Remaining, "take %d at %v", i, want.at)
		require.InDelta(t, want.reset, d.Limits[0].Reset, 1e3, "take %d at %v: %v", i, want.at, d.Limits[0].Reset)
		require.InDelta(t, want.retryAfter, d.RetryAfter, 1e3, "take %d at %v: %v", i, want.at, d.RetryAfter)
	}
}

func TestExponential(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	seconds := func(x float64) time.Duration { return time.Duration(x * 1e9) }
	burst := func(n int64, interval time.Duration) []take {
		takes := make([]take, n)
		for i := range takes {
			left := n - 1 - int64(i)
			takes[i] = take{cost: 1, allowed: true, remaining: left, reset: time.Duration(left) * interval}
		}
		return takes
	}
	tests := []struct {
		name   string
		quota  int64
		window time.Duration
		strict bool
		takes  []take
	}{
		{"an idle client has the whole quota", 10, 60 * s, false, []take{
			{at: 0, cost: 0, allowed: true, remaining: 10, reset: 60 * s},
		}},
		{"a fast burst counts in full, up to limit/cost requests", 10, 60 * s, false, append(
			burst(10, 6*s),
			// At the maximum average, the next request is allowed after the interval of one unit.
			take{at: 0, cost: 1, allowed: false, retryAfter: 6 * s},
			take{at: 6*s - 100, cost: 1, allowed: false, reset: seconds(60 * (1 - math.Exp(-0.1))), retryAfter: 0},
			take{at: 6 * s, cost: 1, allowed: true},
			take{at: 12 * s, cost: 1, allowed: true},
			take{at: 13 * s, cost: 1, allowed: false, reset: seconds(60 * (1 - math.Exp(-1./60))), retryAfter: 5 * s},
			take{at: 18 * s, cost: 1, allowed: true},
		)},
		{"a burst of larger requests counts in full, too", 100, 60 * s, false, []take{
			{at: 0, cost: 40, allowed: true, remaining: 60, reset: 36 * s},
			{at: 0, cost: 40, allowed: true, remaining: 20, reset: 12 * s},
			// 40 × (1 − alpha)/Δ + 80 × alpha = 100 at Δ = 0.221316.
			{at: 0, cost: 40, allowed: false, remaining: 20, reset: 12 * s, retryAfter: 13278955 * time.Microsecond},
			{at: 0, cost: 20, allowed: true, remaining: 0, reset: 0},
			{at: 0, cost: 1, allowed: false, remaining: 0, reset: 0, retryAfter: 600 * ms},
		}},
		{"63 % is forgotten in a period", 1000, 60 * s, false, []take{
			{at: 0, cost: 1000, allowed: true, remaining: 0, reset: 0},
			{at: 60 * s, cost: 0, allowed: true, remaining: 632, reset: seconds(60 * (1 - 1/math.E))},
			{at: 120 * s, cost: 0, allowed: true, remaining: 864, reset: seconds(60 * (1 - 1/math.E/math.E))},
			// 100 × (1 − 1/e²)/2 + 1000/e² = 178.57
			{at: 120 * s, cost: 100, allowed: true, remaining: 821, reset: seconds(60 * (1 - 0.05*(1-math.Exp(-2)) - math.Exp(-2)))},
		}},
		{"a rare request counts as its cost", 10, 60 * s, false, []take{
			{at: 0, cost: 4, allowed: true, remaining: 6, reset: 36 * s},
			{at: time.Hour, cost: 3, allowed: true, remaining: 7, reset: 42 * s},
			{at: 90 * time.Minute, cost: 0, allowed: true, remaining: 10, reset: 60 * s}, // the request of 0:00 is forgotten
		}},
		{"leaky: refused requests change nothing", 2, 2 * s, false, append(
			burst(2, s),
			take{at: 0, cost: 2, allowed: false, retryAfter: 2 * s},
			take{at: 500 * ms, cost: 1, allowed: false, reset: seconds(2 * (1 - math.Exp(-0.25))), retryAfter: 500 * ms},
			take{at: s, cost: 1, allowed: true},
		)},
		{"strict: refused requests count", 10, 60 * s, true, append(
			burst(10, 6*s),
			// (1 − alpha)/Δ + 11 × alpha = 10 at Δ = 0.190765; 12 instead of 11: 0.273862.
			take{at: 0, cost: 1, allowed: false, retryAfter: 11445890 * time.Microsecond},
			take{at: 0, cost: 1, allowed: false, retryAfter: 16431734 * time.Microsecond},
			take{at: 16431734*time.Microsecond + 1, cost: 1, allowed: true},
		)},
		{"strict: a client that does not slow down is not allowed", 1, s, true, []take{
			{at: 0, cost: 1, allowed: true},
			{at: 900 * ms, cost: 1, allowed: false, retryAfter: 1037542 * time.Microsecond},  // at an average of 1.0659
			{at: 1800 * ms, cost: 1, allowed: false, retryAfter: 1052350 * time.Microsecond}, // 1.0927
			{at: 2900 * ms, cost: 1, allowed: true},
		}},
		{"a cost above the quota is never allowed", 10, 60 * s, false, []take{
			{at: 0, cost: 11, allowed: false, remaining: 10, reset: 60 * s},
			{at: 0, cost: math.MaxInt64, allowed: false, remaining: 10, reset: 60 * s},
		}},
		{"a cost above the quota by less than a float64 resolves", 1 << 60, 60 * s, false, []take{
			{at: 0, cost: 1<<60 + 1, allowed: false, remaining: 1 << 60, reset: 60 * s},
		}},
		{"strict: a cost above the quota counts", 10, 60 * s, true, []take{
			{at: 0, cost: 11, allowed: false, remaining: 0, reset: 0},
			{at: 0, cost: 1, allowed: false, remaining: 0, reset: 0, retryAfter: 16431734 * time.Microsecond}, // as above, at 12
		}},
		{"a quota of 0 allows nothing", 0, 60 * s, false, []take{
			{at: 0, cost: 1, allowed: false, remaining: 0, reset: 60 * s},
			{at: 0, cost: 0, allowed: true, remaining: 0, reset: 60 * s},
		}},
		{"a clock set back", 2, 2 * s, false, []take{
			{at: s, cost: 1, allowed: true, remaining: 1, reset: s},
			{at: 0, cost: 1, allowed: true, remaining: 0, reset: 0},
			{at: s, cost: 1, allowed: false, remaining: 0, reset: 0, retryAfter: s}, // for the limiter no time has passed
		}},
		{"the largest numbers", math.MaxInt64, math.MaxInt64, false, []take{
			{at: 0, cost: 0, allowed: true, remaining: math.MaxInt64, reset: math.MaxInt64},
			{at: 0, cost: math.MaxInt64, allowed: true, remaining: 0, reset: 0},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			requireTakesAbout(t, exponential(tt.quota, tt.window, tt.strict), tt.takes)
		})
	}
}

// A client that fills its average and then keeps exactly to the rate is never refused, because no rounding
// adds up.
func TestExponentialServesTheRate(t *testing.T) {
	for _, quota := range []int64{1, 3, 7, 10, 60, 1000} {
		e := &ratelimittest.Exponential{Policy: ratelimittest.Per(quota, time.Minute)}
		require.Equal(t, quota, ratelimittest.Granted(&ratelimittest.Exponential{Policy: ratelimittest.Per(quota, time.Minute)}, start, 0))
		for range quota {
			require.True(t, e.Take(start, "", 1).Allowed)
		}
		interval := time.Minute/time.Duration(quota) + 1
		for i := range 2000 {
			require.True(t, e.Take(start.Add(time.Duration(i+1)*interval), "", 1).Allowed, "%d of %d", i, quota)
		}
	}
}

// RetryAfter is later than the time after which the average alone is at the limit, because the request
// counts, too. Iterating the formula of that time leads to RetryAfter.
func TestExponentialRetryAfterSolvesTheFormula(t *testing.T) {
	const limit, period = 10., float64(time.Minute)
	after := func(windows float64) float64 { // the average with an 11th request
		return (1-math.Exp(-windows))/windows + limit*math.Exp(-windows)
	}
	e := &ratelimittest.Exponential{Policy: ratelimittest.Per(10, time.Minute)}
	require.True(t, e.Take(start, "", 10).Allowed)
	announced := e.Take(start, "", 1).RetryAfter

	wait := period * math.Log((limit+1)/limit)
	require.InDelta(t, 5.7186, wait/1e9, 1e-4)
	require.False(t, e.Take(start.Add(time.Duration(wait)), "", 1).Allowed)
	for range 20 {
		wait += period * math.Log(after(wait/period)/limit)
	}
	require.InDelta(t, wait, announced, 1e3)
}

func TestExponentialQuotaAt(t *testing.T) {
	e := &ratelimittest.Exponential{Policy: ratelimittest.Per(0, 10*time.Second)}
	e.QuotaAt = lowerQuota(10, 5, start.Add(5*time.Second), time.Time{})
	requireTakesAbout(t, e, []take{
		{at: 0, cost: 10, allowed: true, remaining: 0, reset: 0},
		{at: 5 * time.Second, cost: 0, allowed: true, remaining: 0, reset: 0}, // 10/√e = 6.07
		// 1 × (1 − alpha)/Δ + 10 × alpha = 5 at Δ = 0.838621, 8.38621 s after the first request.
		{at: 5 * time.Second, cost: 1, allowed: false, remaining: 0, reset: 0, retryAfter: 3386210 * time.Microsecond},
	})
}
