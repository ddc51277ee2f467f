package ratelimittest_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

func TestOptimum(t *testing.T) {
	linear := func(quota int64) ratelimittest.Limiter {
		return &ratelimittest.Linear{Policy: ratelimittest.Per(quota, s)}
	}
	window := func(quota int64, window time.Duration) ratelimittest.Limiter {
		return &ratelimittest.FixedWindow{Policy: ratelimittest.Per(quota, window)}
	}
	aligned := &ratelimittest.FixedWindow{Policy: ratelimittest.Per(10, s), Aligned: true}
	for _, row := range []struct {
		name              string
		requests, workers int
		limiter           ratelimittest.Limiter
		offset, latency   time.Duration
		want              time.Duration
	}{
		{"no limit: only the latency takes time", 5, 2, nil, 0, s, 3 * s},
		{"linear: 10 at once, 90 at 10 per second", 100, 100, linear(10), 0, 0, 9 * s},
		{"one worker is bound by its latency", 10, 1, linear(100), 0, 100 * ms, s},
		{"fixed window: opened by an arrival", 11, 16, window(10, s), 0, 200 * ms, s + 200*ms},
		{"aligned window: started 0.7 s into a window", 11, 16, aligned, 700 * ms, 200 * ms, 300*ms + 100*ms},
		{"two limits: 300 requests take 30 windows of a second, three times", 900, 16, ratelimittest.All(window(10, s), window(300, time.Minute)), 0, 0, 149 * s},
	} {
		t.Run(row.name, func(t *testing.T) {
			batch := ratelimittest.Batch{Requests: row.requests, Workers: row.workers}
			for range 2 { // what a limiter has decided before does not matter
				require.Equal(t, row.want, batch.Optimum(row.limiter, start.Add(row.offset), row.latency))
				if row.limiter != nil {
					row.limiter.Take(start, "", 1)
				}
			}
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
		"refused for good":   refusing(0),
		"more than 3 places": &ratelimittest.Concurrency{Policy: ratelimittest.Policy{Quota: 3}},
	} {
		require.Negative(t, ratelimittest.Batch{Requests: 4}.Optimum(l, start, 0), name)
	}
}

// The share of the quota depends on the Limiter's settings alone, not on what it has decided before.
func TestUsed(t *testing.T) {
	linear := &ratelimittest.Linear{Policy: ratelimittest.Per(2, s)}
	require.True(t, linear.Take(start, "", 2).Allowed)
	window := &ratelimittest.FixedWindow{Policy: ratelimittest.Per(5, s)}
	five := arrivals(0, 0.5, 1, 1.5, 2) // 5 requests in 2 s, at 2 per second
	withRefusal := append(arrivals(0, 0.5, 1, 1.5, 2), ratelimittest.Arrival{Time: start.Add(2 * s), Cost: 7})
	ofTwo := arrivals(0, 0.5, 1, 1.5, 2)
	ofTwo[0].Cost = 2
	nan := math.NaN()
	for _, row := range []struct {
		name    string
		a       ratelimittest.Arrivals
		limiter ratelimittest.Limiter
		want    float64
	}{
		{"at the rate of the limit", five, linear, 5.0 / 6},
		{"a refused request uses no quota", withRefusal, linear, 5.0 / 6},
		{"a grant at the last instant counts", five, window, 5.0 / 15},
		{"counted in units", ofTwo, linear, 1},

		{"more grants than are counted", arrivals(0), &ratelimittest.FixedWindow{Policy: ratelimittest.Per(1<<18, s)}, nan},
		{"a limiter without RetryAfter", arrivals(0, 1), &ratelimittest.Concurrency{Policy: ratelimittest.Policy{Quota: 2}}, nan},
	} {
		t.Run(row.name, func(t *testing.T) {
			used := row.a.Used(row.limiter)
			if math.IsNaN(row.want) {
				require.True(t, math.IsNaN(used), "%v", used)
				return
			}
			require.InDelta(t, row.want, used, 1e-12)
		})
	}
}
