package ratelimittest_test

import (
	"testing"
	"time"

	"github.com/headway-go/headway/ratelimittest"
)

func TestFixedWindow(t *testing.T) {
	const s = time.Second
	tests := []struct {
		name    string
		aligned bool
		takes   []take
	}{
		{"opened by the first request at 0:45, refused until 1:45", false, append(
			used(45*s, 10, 60*s),
			take{at: 45 * s, cost: 1, allowed: false, reset: 60 * s, retryAfter: 60 * s},
			take{at: 60 * s, cost: 1, allowed: false, reset: 45 * s, retryAfter: 45 * s},
			take{at: 105*s - 1, cost: 1, allowed: false, reset: 1, retryAfter: 1},
			take{at: 105 * s, cost: 1, allowed: true, remaining: 9, reset: 60 * s},
		)},
		{"no request opens no window", false, []take{
			{at: 0, cost: 0, allowed: true, remaining: 10, reset: 60 * s},
			{at: 50 * s, cost: 1, allowed: true, remaining: 9, reset: 60 * s},
			{at: 200 * s, cost: 1, allowed: true, remaining: 9, reset: 60 * s},
		}},
		{"two bursts around a boundary are allowed", true, append(
			append(used(59*s, 10, s), used(60*s, 10, 60*s)...),
			take{at: 60 * s, cost: 1, allowed: false, reset: 60 * s, retryAfter: 60 * s},
		)},
		{"a cost of n counts like n requests", true, []take{
			{at: 15 * s, cost: 7, allowed: true, remaining: 3, reset: 45 * s},
			{at: 15 * s, cost: 4, allowed: false, remaining: 3, reset: 45 * s, retryAfter: 45 * s},
			{at: 15 * s, cost: 3, allowed: true, remaining: 0, reset: 45 * s},
		}},
		{"a cost above the quota is never allowed", true, []take{
			{at: 0, cost: 11, allowed: false, remaining: 10, reset: 60 * s},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := &ratelimittest.FixedWindow{Policy: ratelimittest.Per(10, time.Minute)}
			f.Aligned = tt.aligned
			requireTakes(t, f, tt.takes)
		})
	}
}

// used returns the takes that use up a quota of n at once.
func used(at time.Duration, n int64, reset time.Duration) []take {
	takes := make([]take, n)
	for i := range takes {
		takes[i] = take{at: at, cost: 1, allowed: true, remaining: n - 1 - int64(i), reset: reset}
	}
	return takes
}

func TestElasticFixedWindow(t *testing.T) {
	const s = time.Second
	tests := []struct {
		name    string
		aligned bool
		takes   []take
	}{
		{"each request extends the window, even a refused one", false, []take{
			{at: 0, cost: 1, allowed: true, remaining: 1, reset: 60 * s},
			{at: 50 * s, cost: 1, allowed: true, remaining: 0, reset: 60 * s},
			{at: 109 * s, cost: 1, allowed: false, reset: 60 * s, retryAfter: 60 * s},
			{at: 168 * s, cost: 1, allowed: false, reset: 60 * s, retryAfter: 60 * s},
			{at: 228 * s, cost: 1, allowed: true, remaining: 1, reset: 60 * s},
		}},
		{"a request of cost 0 does not extend the window", false, []take{
			{at: 0, cost: 2, allowed: true, remaining: 0, reset: 60 * s},
			{at: 50 * s, cost: 0, allowed: true, remaining: 0, reset: 10 * s},
			{at: 60 * s, cost: 1, allowed: true, remaining: 1, reset: 60 * s},
		}},
		{"a refused request takes no quota", false, []take{
			{at: 0, cost: 1, allowed: true, remaining: 1, reset: 60 * s},
			{at: 10 * s, cost: 2, allowed: false, remaining: 1, reset: 60 * s, retryAfter: 60 * s},
			{at: 20 * s, cost: 1, allowed: true, remaining: 0, reset: 60 * s},
		}},
		{"a clock set back does not shorten a window", false, []take{
			{at: 60 * s, cost: 1, allowed: true, remaining: 1, reset: 60 * s},
			{at: 0, cost: 1, allowed: true, remaining: 0, reset: 120 * s},
		}},
		{"aligned windows are not extended", true, []take{
			{at: 0, cost: 2, allowed: true, remaining: 0, reset: 60 * s},
			{at: 50 * s, cost: 1, allowed: false, reset: 10 * s, retryAfter: 10 * s},
			{at: 60 * s, cost: 1, allowed: true, remaining: 1, reset: 60 * s},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := &ratelimittest.FixedWindow{Policy: ratelimittest.Per(2, time.Minute)}
			f.Elastic, f.Aligned = true, tt.aligned
			requireTakes(t, f, tt.takes)
		})
	}
}

func TestFixedWindowQuotaAt(t *testing.T) {
	f := &ratelimittest.FixedWindow{Policy: ratelimittest.Per(0, time.Minute)}
	f.QuotaAt = lowerQuota(10, 5, start.Add(time.Second), time.Time{})
	requireTakes(t, f, []take{
		{at: 0, cost: 6, allowed: true, remaining: 4, reset: 60 * time.Second},
		{at: time.Second, cost: 1, allowed: false, remaining: 0, reset: 59 * time.Second, retryAfter: 59 * time.Second},
		{at: 60 * time.Second, cost: 1, allowed: true, remaining: 4, reset: 60 * time.Second},
	})
}
