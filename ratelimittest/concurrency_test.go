package ratelimittest_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

func TestConcurrency(t *testing.T) {
	c := &ratelimittest.Concurrency{Policy: ratelimittest.Policy{Quota: 3}, RetryAfter: 2 * s}
	for i, step := range []struct {
		name          string
		client        string
		release, take int64 // places
		allowed       bool
		free          int64 // the number of free places afterwards
		retry         time.Duration
	}{
		{"one of three", "a", 0, 1, true, 2, 0},
		{"two at once", "a", 0, 2, true, 0, 0},
		{"all places are taken", "a", 0, 1, false, 0, 2 * s},
		{"cost 0 only reports", "a", 0, 0, true, 0, 0},
		{"another client has places of its own", "b", 0, 1, true, 2, 0},
		{"two need two places", "a", 1, 2, false, 1, 2 * s},
		{"a cost above the quota", "a", 0, 4, false, 1, 0},
		{"all requests have ended", "a", 2, 0, true, 3, 0},
		{"a release of more places than are taken", "b", 5, 0, true, 3, 0},
		{"three are still allowed", "a", 0, 3, true, 0, 0},
	} {
		t.Run(step.name, func(t *testing.T) {
			now := start.Add(time.Duration(i) * s)
			c.Release(now, step.client, step.release)
			d := c.Take(now, step.client, step.take)
			require.Equal(t, step.allowed, d.Allowed)
			require.Equal(t, step.retry, d.RetryAfter)
			require.Equal(t, []ratelimittest.Limit{{
				Policy: "default", Unit: "concurrent-requests", Quota: 3, Remaining: step.free, Reset: -1,
			}}, d.Limits)
		})
	}
}

// When QuotaAt falls, requests in flight keep their places.
func TestConcurrencyQuotaAt(t *testing.T) {
	c := &ratelimittest.Concurrency{Policy: lowerQuota(3, 1, s, 2*s)}
	require.True(t, c.Take(start, "", 3).Allowed)
	during := start.Add(s)
	reported := c.Take(during, "", 0)
	require.True(t, reported.Allowed, "cost 0 only reports")
	require.Zero(t, reported.Limits[0].Remaining, "not less than none")
	for _, allowed := range []bool{false, false, true} { // 2, 1 and 0 in flight
		c.Release(during, "", 1)
		require.Equal(t, allowed, c.Take(during, "", 1).Allowed)
	}
	require.True(t, c.Take(start.Add(2*s), "", 2).Allowed)
}

// There are never more requests in flight than places, and in the end all places are free.
func TestConcurrencyIsExact(t *testing.T) {
	const places = 5
	inFlight := ratelimittest.Policy{Quota: places}
	for name, l := range map[string]releaser{
		"alone":    &ratelimittest.Concurrency{Policy: inFlight},
		"in a ban": ratelimittest.Ban(&ratelimittest.Concurrency{Policy: inFlight}, 1, 0).(releaser),
		"one of two limits": ratelimittest.All(
			&ratelimittest.Concurrency{Policy: inFlight}, &ratelimittest.Linear{Policy: ratelimittest.Per(1<<40, time.Minute)},
		).(releaser),
	} {
		t.Run(name, func(t *testing.T) {
			var now, most, allowed atomic.Int64
			var all sync.WaitGroup
			for range 32 {
				all.Go(func() {
					for range 500 {
						if !l.Take(start, "client", 1).Allowed {
							continue
						}
						n := now.Add(1)
						for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
						}
						allowed.Add(1)
						now.Add(-1)
						l.Release(start, "client", 1)
					}
				})
			}
			all.Wait()
			require.LessOrEqual(t, most.Load(), int64(places))
			require.Positive(t, allowed.Load())
			require.EqualValues(t, places, l.Take(start, "client", 0).Limits[0].Remaining, "all places are free again")
		})
	}
}
