package ratelimittest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// A request that one policy refuses costs nothing of the others.
func TestAllTakesOfEachOrOfNone(t *testing.T) {
	start := time.Date(2030, time.January, 1, 12, 0, 0, 0, time.UTC)
	second := &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Name: "second", Quota: 2, Window: time.Second}}
	minute := &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Name: "minute", Quota: 3, Window: time.Minute}}
	both := ratelimittest.All(second, minute)
	for _, step := range []struct {
		name             string
		at               time.Duration
		allowed          bool
		inSecond, inLong int64
		retryAfter       time.Duration
	}{
		{"first", 0, true, 1, 2, 0},
		{"second", 0, true, 0, 1, 0},
		{"the second's quota is used up", 400 * time.Millisecond, false, 0, 1, 600 * time.Millisecond},
		{"again", 500 * time.Millisecond, false, 0, 1, 500 * time.Millisecond},
		{"the next second", time.Second, true, 1, 0, 0},
		{"the minute's quota is used up", 1500 * time.Millisecond, false, 1, 0, 58500 * time.Millisecond},
		{"the next minute", time.Minute, true, 1, 2, 0},
	} {
		t.Run(step.name, func(t *testing.T) {
			d := both.Take(start.Add(step.at), "client", 1)
			require.Equal(t, step.allowed, d.Allowed)
			require.Equal(t, step.retryAfter, d.RetryAfter)
			require.Len(t, d.Limits, 2)
			require.Equal(t, step.inSecond, d.Limits[0].Remaining)
			require.Equal(t, step.inLong, d.Limits[1].Remaining)
		})
	}
}

// What is not of the package is asked with the request itself.
func TestAllAsksOthersFirst(t *testing.T) {
	now := time.Date(2030, time.January, 1, 12, 0, 0, 0, time.UTC)
	quota := ratelimittest.NewLinear(2, time.Minute)
	closed := ratelimittest.LimiterFunc(func(time.Time, string, int64) ratelimittest.Decision {
		return ratelimittest.Decision{RetryAfter: 5 * time.Second}
	})
	d := ratelimittest.All(quota, closed).Take(now, "client", 1)
	require.False(t, d.Allowed)
	require.Equal(t, 5*time.Second, d.RetryAfter)
	require.Equal(t, int64(2), d.Limits[0].Remaining, "nothing was taken of it")
}

// The optimum of two policies is that of the tighter one in the long run.
func TestOptimumOfSeveralPolicies(t *testing.T) {
	start := time.Date(2030, time.January, 1, 12, 0, 0, 0, time.UTC)
	both := ratelimittest.All(ratelimittest.NewFixedWindow(10, time.Second), ratelimittest.NewFixedWindow(300, time.Minute))
	batch := ratelimittest.Batch{Requests: 900, Workers: 16}
	// 300 in 30 windows of a second; three times.
	require.Equal(t, 2*time.Minute+29*time.Second, batch.Optimum(both, start, 0))
	require.Equal(t, int64(300), ratelimittest.Granted(ratelimittest.All(
		ratelimittest.NewFixedWindow(10, time.Second), ratelimittest.NewFixedWindow(300, time.Minute)), start, time.Minute-1))
}
