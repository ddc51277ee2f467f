package ratelimittest_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

func aligned(quota int64, window time.Duration) *ratelimittest.FixedWindow {
	f := ratelimittest.NewFixedWindow(quota, window)
	f.Aligned = true
	return f
}

func TestOptimum(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	linear := ratelimittest.NewLinear
	window := ratelimittest.NewFixedWindow
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

// Optimum panics for a batch that never ends, whether or not refusals have a RetryAfter.
func TestOptimumOfABatchThatNeverEnds(t *testing.T) {
	refusing := func(retryAfter time.Duration) ratelimittest.Limiter {
		return ratelimittest.LimiterFunc(func(time.Time, string, int64) ratelimittest.Decision {
			return ratelimittest.Decision{RetryAfter: retryAfter}
		})
	}
	for name, l := range map[string]ratelimittest.Limiter{
		"no quota":           ratelimittest.NewLinear(0, time.Second),
		"refused for good":   refusing(0),
		"put off for ever":   refusing(time.Second),
		"more than 3 places": ratelimittest.NewConcurrency(3),
	} {
		require.Panics(t, func() { ratelimittest.Batch{Requests: 4}.Optimum(l, start, 0) }, name)
	}
}

// changing returns a limiter whose quota changes every second, between 0 and 2 for n seconds and then to 14.
func changing(n int64) ratelimittest.Limiter {
	return &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Window: time.Hour, QuotaAt: func(now time.Time) (int64, time.Time) {
		quota := now.Unix() % 2
		if now.Sub(start) >= time.Duration(n)*time.Second {
			quota = 7
		}
		return 2 * quota, now.Truncate(time.Second).Add(time.Second)
	}}}
}

// Granted and Optimum panic if the next grant cannot be found, unless it does not matter.
func TestGrantedOfAnUnknownFuture(t *testing.T) {
	putOff := ratelimittest.LimiterFunc(func(time.Time, string, int64) ratelimittest.Decision {
		return ratelimittest.Decision{RetryAfter: time.Second}
	})
	require.EqualValues(t, 14, ratelimittest.Granted(changing(1000), start, time.Hour-1))
	for name, l := range map[string]ratelimittest.Limiter{"too many changes": changing(2000), "put off": putOff} {
		for what, known := range map[string]func(){
			"Granted": func() { ratelimittest.Granted(l, start, time.Hour-1) },
			"Optimum": func() { ratelimittest.Batch{Requests: 3}.Optimum(l, start, 0) },
		} {
			require.PanicsWithValue(t, "ratelimittest: "+what+": it is not known when the limiter allows a request: "+
				"its rules change 1024 times before, or it puts one off as often", known, name)
		}
	}
	require.EqualValues(t, 2, ratelimittest.Granted(changing(2000), start, time.Minute), "later changes do not matter")
	require.Zero(t, ratelimittest.Granted(putOff, start, time.Minute))
}

// A QuotaAt that always names the next second, but never changes the quota, has no changes.
func TestGrantedOfAConstantQuotaAt(t *testing.T) {
	l := &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Window: time.Hour, QuotaAt: func(now time.Time) (int64, time.Time) {
		return 5, now.Add(time.Second)
	}}}
	require.EqualValues(t, 10, ratelimittest.Granted(l, start, time.Hour))
	require.Equal(t, time.Hour, ratelimittest.Batch{Requests: 6}.Optimum(l, start, 0))
}

func TestGranted(t *testing.T) {
	const s = time.Second
	require.EqualValues(t, 10, ratelimittest.Granted(ratelimittest.NewLinear(10, s), start, 0))
	require.EqualValues(t, 30, ratelimittest.Granted(ratelimittest.NewLinear(10, s), start, 2*s))
	require.EqualValues(t, 20, ratelimittest.Granted(ratelimittest.NewFixedWindow(10, s), start, 2*s-1))
	require.EqualValues(t, 30, ratelimittest.Granted(ratelimittest.NewFixedWindow(10, s), start, 2*s))
	require.EqualValues(t, 30, ratelimittest.Granted(aligned(10, s), start.Add(s-1), s+1))
	require.Zero(t, ratelimittest.Granted(ratelimittest.NewLinear(0, s), start, s))
}

// The figures neither depend on what a Limiter has decided before, nor change it.
func TestFiguresUseAFreshLimiter(t *testing.T) {
	const s = time.Second
	l := ratelimittest.NewLinear(10, s)
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
	require.Equal(t, int64(math.MaxInt64), ratelimittest.Granted(nil, start, time.Second))
}

func TestUsed(t *testing.T) {
	a := arrivals(0, 0.5, 1, 1.5, 2) // 5 requests in 2 s, at 2 per second
	a = append(a, ratelimittest.Arrival{Time: start.Add(2 * time.Second), Cost: 7})
	require.InDelta(t, 5.0/6, a.Used(ratelimittest.NewLinear(2, time.Second)), 1e-9, "the refused request used no quota")
	a[0].Cost = 2
	require.InDelta(t, 1, a.Used(ratelimittest.NewLinear(2, time.Second)), 1e-9, "counted in units")

	a = ratelimittest.Arrivals{{Time: start, Cost: math.MaxInt64, Allowed: true}, {Time: start.Add(time.Minute), Cost: math.MaxInt64, Allowed: true}}
	require.InDelta(t, 1, a.Used(ratelimittest.NewFixedWindow(math.MaxInt64, time.Minute)), 1e-9, "more units than an int64 holds")
}

func TestUsedThatIsNotKnown(t *testing.T) {
	for _, tt := range []struct {
		name    string
		a       ratelimittest.Arrivals
		limiter ratelimittest.Limiter
	}{
		{"no limit", arrivals(0), nil},
		{"no arrivals", nil, ratelimittest.NewLinear(2, time.Second)},
		{"more grants than are counted", arrivals(0), ratelimittest.NewFixedWindow(1<<18, time.Second)},
		{"a limiter without RetryAfter", arrivals(0, 1), ratelimittest.NewConcurrency(2)},
	} {
		used := tt.a.Used(tt.limiter)
		require.True(t, math.IsNaN(used), "%s: %v", tt.name, used)
	}
	most := ratelimittest.NewFixedWindow(1<<18-1, time.Second)
	require.InDelta(t, 1.0/(1<<18-1), arrivals(0).Used(most), 1e-12, "as many grants as are counted")
}
