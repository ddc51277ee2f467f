package ratelimittest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

func TestPushBack(t *testing.T) {
	const s = time.Second
	tests := []struct {
		name        string
		from, until time.Duration
		takes       []take
	}{
		{"whatever remains", 10 * s, 30 * s, []take{
			{at: 0, cost: 1, allowed: true, remaining: 9, reset: 60 * s},
			{at: 10 * s, cost: 1, allowed: false, remaining: 9, reset: 50 * s, retryAfter: 20 * s},
			{at: 30*s - 1, cost: 1, allowed: false, remaining: 9, reset: 30*s + 1, retryAfter: 1},
			{at: 30 * s, cost: 1, allowed: true, remaining: 8, reset: 30 * s},
		}},
		{"whatever the cost", 0, 30 * s, []take{
			{at: 0, cost: 0, allowed: false, remaining: 10, reset: 60 * s, retryAfter: 30 * s},
			{at: 0, cost: 11, allowed: false, remaining: 10, reset: 60 * s}, // never allowed
			{at: 30 * s, cost: 11, allowed: false, remaining: 10, reset: 60 * s},
		}},
		{"longer, if l refuses after it", 10 * s, 30 * s, []take{
			{at: 0, cost: 10, allowed: true, remaining: 0, reset: 60 * s},
			{at: 10 * s, cost: 1, allowed: false, remaining: 0, reset: 50 * s, retryAfter: 50 * s},
			{at: 30 * s, cost: 1, allowed: false, remaining: 0, reset: 30 * s, retryAfter: 30 * s},
		}},
		{"not announced before", 50 * s, 90 * s, []take{
			{at: 0, cost: 10, allowed: true, remaining: 0, reset: 60 * s},
			{at: 50*s - 1, cost: 1, allowed: false, remaining: 0, reset: 10*s + 1, retryAfter: 10*s + 1},
			{at: 60 * s, cost: 1, allowed: false, remaining: 10, reset: 60 * s, retryAfter: 30 * s},
		}},
		{"never", 10 * s, 10 * s, []take{
			{at: 10 * s, cost: 1, allowed: true, remaining: 9, reset: 60 * s},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := ratelimittest.PushBack(ratelimittest.NewFixedWindow(10, 60*s), start.Add(tt.from), start.Add(tt.until))
			requireTakes(t, l, tt.takes)
		})
	}
}

func TestPushBackForGood(t *testing.T) {
	l := ratelimittest.PushBack(ratelimittest.NewFixedWindow(10, time.Minute), start.Add(time.Second), time.Time{})
	requireTakes(t, l, []take{
		{at: time.Second - 1, cost: 1, allowed: true, remaining: 9, reset: time.Minute},
		{at: time.Second, cost: 1, allowed: false, remaining: 9, reset: time.Minute - 1},
	})
	require.EqualValues(t, 10, ratelimittest.Granted(l, start.Add(time.Second-1), time.Hour), "of another client")
}

// PushBack works for a limiter that is not a forecaster.
func TestPushBackOfAnyLimiter(t *testing.T) {
	open := ratelimittest.LimiterFunc(func(time.Time, string, int64) ratelimittest.Decision {
		return ratelimittest.Decision{Allowed: true, RetryAfter: 7}
	})
	require.Equal(t, ratelimittest.Decision{}, ratelimittest.PushBack(open, start, time.Time{}).Take(start, "", 1))
	l := ratelimittest.PushBack(open, start, start.Add(time.Minute))
	require.Equal(t, ratelimittest.Decision{RetryAfter: time.Minute}, l.Take(start, "", 1))
	require.Equal(t, ratelimittest.Decision{Allowed: true, RetryAfter: 7}, l.Take(start.Add(time.Minute), "", 1))
	require.Equal(t, time.Minute, ratelimittest.Batch{Requests: 1}.Optimum(l, start, 0))
}

// PushBack forwards Release during and after the push-back.
func TestPushBackReleases(t *testing.T) {
	l := ratelimittest.PushBack(ratelimittest.NewConcurrency(1), start.Add(1), start.Add(10)).(ratelimittest.Releaser)
	require.True(t, l.Take(start, "", 1).Allowed)
	require.Equal(t, time.Duration(9), l.Take(start.Add(1), "", 1).RetryAfter)
	require.False(t, l.Take(start.Add(10), "", 1).Allowed)
	l.Release(start.Add(5), "", 1)
	require.True(t, l.Take(start.Add(10), "", 1).Allowed)
}

// The optimum waits for a push-back: of 10 per second, two seconds are lost.
func TestOptimumWithAPushBack(t *testing.T) {
	const s = time.Second
	l := func(l ratelimittest.Limiter) ratelimittest.Limiter {
		return ratelimittest.PushBack(l, start.Add(s+1), start.Add(3*s))
	}
	require.EqualValues(t, 10+10, ratelimittest.Granted(l(ratelimittest.NewLinear(10, s)), start, 3*s-1))
	require.EqualValues(t, 10+10+10, ratelimittest.Granted(l(ratelimittest.NewLinear(10, s)), start, 3*s))
	batch := ratelimittest.Batch{Requests: 50, Workers: 50}
	require.Equal(t, 5*s, batch.Optimum(l(ratelimittest.NewFixedWindow(10, s)), start, 0), "at 0, 1, 3, 4 and 5 s")
}
