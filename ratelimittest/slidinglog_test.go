package ratelimittest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

func TestSlidingLog(t *testing.T) {
	const s = time.Second
	full := func(l *ratelimittest.SlidingLog) { l.FullReset = true }
	strict := func(l *ratelimittest.SlidingLog) { l.Strict = true }
	tests := []struct {
		name  string
		quota int64
		set   func(*ratelimittest.SlidingLog)
		takes []take
	}{
		{"the worked example of the moving window", 10, nil, []take{
			{at: 10 * s, cost: 1, allowed: true, remaining: 9, reset: 60 * s},
			{at: 20 * s, cost: 1, allowed: true, remaining: 8, reset: 50 * s},
			{at: 20 * s, cost: 1, allowed: true, remaining: 7, reset: 50 * s},
			{at: 30 * s, cost: 1, allowed: true, remaining: 6, reset: 40 * s},
			{at: 30 * s, cost: 1, allowed: true, remaining: 5, reset: 40 * s},
			{at: 30 * s, cost: 1, allowed: true, remaining: 4, reset: 40 * s},
			{at: 30 * s, cost: 1, allowed: true, remaining: 3, reset: 40 * s},
			{at: 50 * s, cost: 1, allowed: true, remaining: 2, reset: 20 * s},
			{at: 50 * s, cost: 1, allowed: true, remaining: 1, reset: 20 * s},
			{at: 50 * s, cost: 1, allowed: true, remaining: 0, reset: 20 * s},
			{at: 71 * s, cost: 1, allowed: true, remaining: 0, reset: 9 * s}, // the unit of 0:10 has expired
			{at: 72 * s, cost: 1, allowed: false, remaining: 0, reset: 8 * s, retryAfter: 8 * s},
			{at: 80*s - 1, cost: 1, allowed: false, remaining: 0, reset: 1, retryAfter: 1},
			{at: 80 * s, cost: 1, allowed: true, remaining: 1, reset: 10 * s}, // refused requests were free
		}},
		{"an idle client has the whole quota", 10, nil, []take{
			{at: 0, cost: 0, allowed: true, remaining: 10, reset: 60 * s},
			{at: 0, cost: 10, allowed: true, remaining: 0, reset: 60 * s},
			{at: 60 * s, cost: 0, allowed: true, remaining: 10, reset: 60 * s},
		}},
		{"a second burst after a boundary is refused", 10, nil, []take{
			{at: 59 * s, cost: 10, allowed: true, remaining: 0, reset: 60 * s},
			{at: 60 * s, cost: 1, allowed: false, remaining: 0, reset: 59 * s, retryAfter: 59 * s},
		}},
		{"a cost of n counts like n requests", 10, nil, []take{
			{at: 0, cost: 3, allowed: true, remaining: 7, reset: 60 * s},
			{at: 10 * s, cost: 4, allowed: true, remaining: 3, reset: 50 * s},
			{at: 20 * s, cost: 4, allowed: false, remaining: 3, reset: 40 * s, retryAfter: 40 * s},
			{at: 20 * s, cost: 7, allowed: false, remaining: 3, reset: 40 * s, retryAfter: 50 * s},
			{at: 20 * s, cost: 3, allowed: true, remaining: 0, reset: 40 * s},
		}},
		{"a cost above the quota is never allowed", 10, nil, []take{
			{at: 0, cost: 11, allowed: false, remaining: 10, reset: 60 * s},
			{at: 0, cost: 1 << 62, allowed: false, remaining: 10, reset: 60 * s},
		}},
		{"a quota of 0 allows nothing", 0, strict, []take{
			{at: 0, cost: 1, allowed: false, remaining: 0, reset: 60 * s},
			{at: 0, cost: -1, allowed: true, remaining: 0, reset: 60 * s},
		}},
		{"FullReset: the time until the log is empty", 10, full, []take{
			{at: 0, cost: 0, allowed: true, remaining: 10, reset: 0},
			{at: 0, cost: 9, allowed: true, remaining: 1, reset: 60 * s},
			{at: 50 * s, cost: 1, allowed: true, remaining: 0, reset: 60 * s},
			{at: 55 * s, cost: 1, allowed: false, remaining: 0, reset: 55 * s, retryAfter: 5 * s},
			{at: 60 * s, cost: 0, allowed: true, remaining: 9, reset: 50 * s},
		}},
		{"strict: refused requests keep the client out", 3, strict, []take{
			{at: 0, cost: 3, allowed: true, remaining: 0, reset: 60 * s},
			{at: 30 * s, cost: 1, allowed: false, remaining: 0, reset: 30 * s, retryAfter: 30 * s}, // 2 units of 0:00 and 1 of 0:30
			{at: 40 * s, cost: 1, allowed: false, remaining: 0, reset: 20 * s, retryAfter: 20 * s},
			{at: 50 * s, cost: 1, allowed: false, remaining: 0, reset: 40 * s, retryAfter: 40 * s}, // only refused units are left
			{at: 60 * s, cost: 1, allowed: false, remaining: 0, reset: 40 * s, retryAfter: 40 * s},
			{at: 100 * s, cost: 1, allowed: true, remaining: 0, reset: 10 * s},
		}},
		{"strict: a refused cost must expire before it fits", 10, strict, []take{
			{at: 0, cost: 4, allowed: true, remaining: 6, reset: 60 * s},
			{at: 10 * s, cost: 7, allowed: false, remaining: 0, reset: 50 * s, retryAfter: 60 * s},
			{at: 20 * s, cost: 100, allowed: false, remaining: 0, reset: 60 * s},
			{at: 80 * s, cost: 7, allowed: true, remaining: 3, reset: 60 * s},
		}},
		{"a clock set back", 2, nil, []take{
			{at: 10 * s, cost: 1, allowed: true, remaining: 1, reset: 60 * s},
			{at: 0, cost: 1, allowed: true, remaining: 0, reset: 70 * s},
			{at: 0, cost: 1, allowed: false, remaining: 0, reset: 70 * s, retryAfter: 70 * s},
			{at: 70*s - 1, cost: 1, allowed: false, remaining: 0, reset: 1, retryAfter: 1}, // not forgotten early
			{at: 70 * s, cost: 2, allowed: true, remaining: 0, reset: 60 * s},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := &ratelimittest.SlidingLog{Policy: ratelimittest.Per(tt.quota, time.Minute)}
			if tt.set != nil {
				tt.set(l)
			}
			requireTakes(t, l, tt.takes)
		})
	}
}

func TestSlidingLogQuotaAt(t *testing.T) {
	const s = time.Second
	l := &ratelimittest.SlidingLog{Policy: ratelimittest.Per(0, time.Minute)}
	l.QuotaAt = lowerQuota(10, 5, start.Add(30*s), start.Add(90*s))
	requireTakes(t, l, []take{
		{at: 0, cost: 4, allowed: true, remaining: 6, reset: 60 * s},
		{at: 10 * s, cost: 4, allowed: true, remaining: 2, reset: 50 * s},
		{at: 30 * s, cost: 1, allowed: false, remaining: 0, reset: 30 * s, retryAfter: 30 * s},
		{at: 60 * s, cost: 1, allowed: true, remaining: 0, reset: 10 * s},
		{at: 90 * s, cost: 9, allowed: true, remaining: 0, reset: 30 * s},
	})
}

// With rounded times, units expire early by at most one step.
func TestSlidingLogOfAHugeQuota(t *testing.T) {
	const quota, step = 1 << 62, time.Minute/(1<<16) + 1
	l := &ratelimittest.SlidingLog{Policy: ratelimittest.Per(quota, time.Minute)}
	for i, offset := range []time.Duration{0, 1, step / 2, step, time.Second + 12345} {
		at := start.Add(time.Duration(i) * time.Hour).Add(offset)
		require.True(t, l.Take(at, "client", quota-1).Allowed)
		refused := l.Take(at, "client", 2)
		require.False(t, refused.Allowed)
		require.EqualValues(t, 1, refused.Limits[0].Remaining)
		require.Equal(t, refused.Limits[0].Reset, refused.RetryAfter)
		require.Greater(t, refused.RetryAfter, time.Minute-step)
		require.LessOrEqual(t, refused.RetryAfter, time.Minute)
		require.True(t, l.Take(at, "client", 1).Allowed)
	}
}
