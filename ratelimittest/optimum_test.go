package ratelimittest_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

func aligned(quota int64, window time.Duration) *ratelimittest.FixedWindow {
	f := &ratelimittest.FixedWindow{Policy: ratelimittest.Per(quota, window)}
	f.Aligned = true
	return f
}

func TestOptimum(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	linear := func(q int64, w time.Duration) ratelimittest.Limiter {
		return &ratelimittest.Linear{Policy: ratelimittest.Per(q, w)}
	}
	window := func(q int64, w time.Duration) ratelimittest.Limiter {
		return &ratelimittest.FixedWindow{Policy: ratelimittest.Per(q, w)}
	}
	tests := []struct {
		name              string
		requests, workers int
		limiter           ratelimittest.Limiter
		offset, latency   time.Duration
		want              time.Duration
	}{
		{"nothing to send", 0, 1, linear(10, s), 0, s, 0},
		{"linear: 10 at once, 90 at 10 per second", 100, 100, linear(10, s), 0, 0, 9 * s},
		{"linear: the latency counts once", 100, 100, linear(10, s), 0, 100 * ms, 9*s + 100*ms},
		{"one worker is bound by its latency", 10, 1, linear(100, s), 0, 100 * ms, s},
		{"two workers need four rounds for eight", 8, 2, linear(8, s), 0, s, 4 * s},
		{"zero workers count as one", 2, 0, linear(8, s), 0, s, 2 * s},
		{"fixed window: ends in the tenth", 100, 16, window(10, s), 0, 0, 9 * s},
		{"fixed window: opened by an arrival", 11, 16, window(10, s), 0, 200 * ms, s + 200*ms},
		{"aligned window: started 0.7 s into a window", 11, 16, aligned(10, s), 700 * ms, 200 * ms, 300*ms + 100*ms},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			batch := ratelimittest.Batch{Requests: tt.requests, Workers: tt.workers}
			require.Equal(t, tt.want, batch.Optimum(tt.limiter, start.Add(tt.offset), tt.latency))
		})
	}
}

// The optimum of a batch that never ends is not known, whether or not refusals have a RetryAfter.
func TestOptimumOfABatchThatNeverEnds(t *testing.T) {
	refusing := func(retryAfter time.Duration) ratelimittest.Limiter {
		return ratelimittest.LimiterFunc(func(time.Time, string, int64) ratelimittest.Decision {
			return ratelimittest.Decision{RetryAfter: retryAfter}
		})
	}
	for name, l := range map[string]ratelimittest.Limiter{
		"no quota":           &ratelimittest.Linear{Policy: ratelimittest.Per(0, time.Second)},
		"refused for good":   refusing(0),
		"put off for ever":   refusing(time.Second),
		"more than 3 places": &ratelimittest.Concurrency{Policy: ratelimittest.Policy{Quota: 3}},
	} {
		require.Negative(t, ratelimittest.Batch{Requests: 4}.Optimum(l, start, 0), name)
	}
}

func TestGranted(t *testing.T) {
	const s = time.Second
	require.EqualValues(t, 10, ratelimittest.Granted(&ratelimittest.Linear{Policy: ratelimittest.Per(10, s)}, start, 0))
	require.EqualValues(t, 30, ratelimittest.Granted(&ratelimittest.Linear{Policy: ratelimittest.Per(10, s)}, start, 2*s))
	require.EqualValues(t, 20, ratelimittest.Granted(&ratelimittest.FixedWindow{Policy: ratelimittest.Per(10, s)}, start, 2*s-1))
	require.EqualValues(t, 30, ratelimittest.Granted(&ratelimittest.FixedWindow{Policy: ratelimittest.Per(10, s)}, start, 2*s))
	require.EqualValues(t, 30, ratelimittest.Granted(aligned(10, s), start.Add(s-1), s+1))
	require.Zero(t, ratelimittest.Granted(&ratelimittest.Linear{Policy: ratelimittest.Per(0, s)}, start, s))
}

// The figures neither depend on what a Limiter has decided before, nor change it.
func TestFiguresUseAFreshLimiter(t *testing.T) {
	const s = time.Second
	l := &ratelimittest.Linear{Policy: ratelimittest.Per(10, s)}
	for range 2 {
		require.Equal(t, 9*s, ratelimittest.Batch{Requests: 100, Workers: 100}.Optimum(l, start, 0))
		require.EqualValues(t, 10, ratelimittest.Granted(l, start, 0))
		require.InDelta(t, 0.2, arrivals(0, 0, 0, 1).Used(l), 1e-9)
		require.True(t, l.Take(start, "", 1).Allowed)
	}
	require.EqualValues(t, 8, l.Take(start, "", 0).Limits[0].Remaining)
}

// Without a limit, only the latency takes time.
func TestOptimumWithoutALimiter(t *testing.T) {
	require.Equal(t, 3*time.Second, ratelimittest.Batch{Requests: 5, Workers: 2}.Optimum(nil, start, time.Second))
}

func TestUsed(t *testing.T) {
	a := arrivals(0, 0.5, 1, 1.5, 2) // 5 requests in 2 s, at 2 per second
	a = append(a, ratelimittest.Arrival{Time: start.Add(2 * time.Second), Cost: 7})
	require.InDelta(t, 5.0/6, a.Used(&ratelimittest.Linear{Policy: ratelimittest.Per(2, time.Second)}), 1e-9, "the refused request used no quota")
	a[0].Cost = 2
	require.InDelta(t, 1, a.Used(&ratelimittest.Linear{Policy: ratelimittest.Per(2, time.Second)}), 1e-9, "counted in units")

	a = ratelimittest.Arrivals{{Time: start, Cost: math.MaxInt64, Allowed: true}, {Time: start.Add(time.Minute), Cost: math.MaxInt64, Allowed: true}}
	require.InDelta(t, 1, a.Used(&ratelimittest.FixedWindow{Policy: ratelimittest.Per(math.MaxInt64, time.Minute)}), 1e-9, "more units than an int64 holds")
}

func TestUsedThatIsNotKnown(t *testing.T) {
	for _, tt := range []struct {
		name    string
		a       ratelimittest.Arrivals
		limiter ratelimittest.Limiter
	}{
		{"no limit", arrivals(0), nil},
		{"no arrivals", nil, &ratelimittest.Linear{Policy: ratelimittest.Per(2, time.Second)}},
		{"more grants than are counted", arrivals(0), &ratelimittest.FixedWindow{Policy: ratelimittest.Per(1<<18, time.Second)}},
		{"a limiter without RetryAfter", arrivals(0, 1), &ratelimittest.Concurrency{Policy: ratelimittest.Policy{Quota: 2}}},
	} {
		used := tt.a.Used(tt.limiter)
		require.True(t, math.IsNaN(used), "%s: %v", tt.name, used)
	}
	most := &ratelimittest.FixedWindow{Policy: ratelimittest.Per(1<<18-1, time.Second)}
	require.InDelta(t, 1.0/(1<<18-1), arrivals(0).Used(most), 1e-12, "as many grants as are counted")
}
