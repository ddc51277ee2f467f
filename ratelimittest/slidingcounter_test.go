package ratelimittest_test

import (
	"testing"
	"time"

	"github.com/headway-go/headway/ratelimittest"
)

func TestSlidingCounter(t *testing.T) {
	const s = time.Second
	tests := []struct {
		name  string
		quota int64
		takes []take
	}{
		{"the worked example of 40 in the previous and 80 in the current bucket", 100, []take{
			{at: 10 * s, cost: 40, allowed: true, remaining: 60, reset: 50 * s},
			{at: 60 * s, cost: 60, allowed: true, remaining: 0, reset: 60 * s},
			{at: 90 * s, cost: 20, allowed: true, remaining: 0, reset: 30 * s},
			{at: 90 * s, cost: 1, allowed: false, remaining: 0, reset: 30 * s, retryAfter: 1}, // 80 + 40 × 30/60 = 100
			{at: 100 * s, cost: 0, allowed: true, remaining: 7, reset: 20 * s},                // 80 + 40 × 20/60 = 93.3
			{at: 100 * s, cost: 1, allowed: true, remaining: 6, reset: 20 * s},
		}},
		{"an idle client has the whole quota", 10, []take{
			{at: 15 * s, cost: 0, allowed: true, remaining: 10, reset: 45 * s},
			{at: 15 * s, cost: 10, allowed: true, remaining: 0, reset: 45 * s},
			{at: 120 * s, cost: 0, allowed: true, remaining: 10, reset: 60 * s},
		}},
		{"a new bucket begins with the weight of the last one", 10, []take{
			{at: 59 * s, cost: 10, allowed: true, remaining: 0, reset: s},
			{at: 59 * s, cost: 1, allowed: false, remaining: 0, reset: s, retryAfter: s + 1}, // 10 × (T − 1 ns)/T = 9.9
			{at: 60 * s, cost: 1, allowed: false, remaining: 0, reset: 60 * s, retryAfter: 1},
			{at: 60*s + 1, cost: 1, allowed: true, remaining: 0, reset: 60*s - 1},
			{at: 66 * s, cost: 1, allowed: false, remaining: 0, reset: 54 * s, retryAfter: 1},
			{at: 72 * s, cost: 1, allowed: true, remaining: 0, reset: 48 * s}, // 2 + 10 × 48/60 = 10
		}},
		{"a cost of n counts like n requests", 10, []take{
			{at: 0, cost: 6, allowed: true, remaining: 4, reset: 60 * s},
			{at: 60 * s, cost: 7, allowed: false, remaining: 4, reset: 60 * s, retryAfter: 20*s + 1}, // 6 × (40 s − 1 ns)/60 s = 3.9
			{at: 60 * s, cost: 10, allowed: false, remaining: 4, reset: 60 * s, retryAfter: 50*s + 1},
			{at: 60 * s, cost: 4, allowed: true, remaining: 0, reset: 60 * s},
			{at: 60 * s, cost: 7, allowed: false, remaining: 0, reset: 60 * s, retryAfter: 60*s + 1}, // in the next bucket: 4 × (T − 1 ns)/T = 3.9
		}},
		{"a cost that fits only when the previous bucket has expired", 2, []take{
			{at: 0, cost: 2, allowed: true, remaining: 0, reset: 60 * s},
			{at: 0, cost: 2, allowed: false, remaining: 0, reset: 60 * s, retryAfter: 90*s + 1},
		}},
		{"a cost above the quota is never allowed", 10, []take{
			{at: 0, cost: 11, allowed: false, remaining: 10, reset: 60 * s},
			{at: 0, cost: 1 << 62, allowed: false, remaining: 10, reset: 60 * s},
		}},
		{"a quota of 0 allows nothing", 0, []take{
			{at: 0, cost: 1, allowed: false, remaining: 0, reset: 60 * s},
			{at: 0, cost: -1, allowed: true, remaining: 0, reset: 60 * s},
		}},
		{"a clock set back", 10, []take{
			{at: 60 * s, cost: 9, allowed: true, remaining: 1, reset: 60 * s},
			{at: 59 * s, cost: 1, allowed: true, remaining: 0, reset: 61 * s},
			{at: 59 * s, cost: 1, allowed: false, remaining: 0, reset: 61 * s, retryAfter: 61*s + 1},
			{at: 90 * s, cost: 1, allowed: false, remaining: 0, reset: 30 * s, retryAfter: 30*s + 1},
		}},
		{"a clock set back into the previous bucket", 10, []take{
			{at: 0, cost: 8, allowed: true, remaining: 2, reset: 60 * s},
			{at: 60 * s, cost: 1, allowed: true, remaining: 1, reset: 60 * s},
			{at: 30 * s, cost: 0, allowed: true, remaining: 1, reset: 90 * s}, // 8 + 1, not 8 × 90/60 + 1
		}},
		{"a clock set back far does not forget a client early", 10, []take{
			{at: 60 * s, cost: 9, allowed: true, remaining: 1, reset: 60 * s},
			{at: 0, cost: 1, allowed: true, remaining: 0, reset: 120 * s},
			{at: 131 * s, cost: 0, allowed: true, remaining: 2, reset: 49 * s}, // 10 × 49/60 = 8.2
		}},
		{"more units than a window has nanoseconds", 1 << 62, []take{
			{at: 0, cost: 1 << 62, allowed: true, remaining: 0, reset: 60 * s},
			{at: 90 * s, cost: 1 << 61, allowed: true, remaining: 0, reset: 30 * s},
			{at: 90 * s, cost: 1, allowed: false, remaining: 0, reset: 30 * s, retryAfter: 1},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			requireTakes(t, &ratelimittest.SlidingCounter{Policy: ratelimittest.Per(tt.quota, time.Minute)}, tt.takes)
		})
	}
}

func TestStrictSlidingCounter(t *testing.T) {
	const s = time.Second
	tests := []struct {
		name  string
		takes []take
	}{
		{"a client that slows down to the rate of the quota is allowed", []take{
			{at: 0, cost: 10, allowed: true, remaining: 0, reset: 60 * s},
			{at: 30 * s, cost: 1, allowed: false, remaining: 0, reset: 30 * s, retryAfter: 30*s + 5_454_545_455}, // 11 × 54.5/60 = 9.99
			{at: 60 * s, cost: 1, allowed: false, remaining: 0, reset: 60 * s, retryAfter: 10*s + 909_090_910},   // 1 + 11 × 49.1/60 = 9.99
			{at: 71 * s, cost: 1, allowed: true, remaining: 0, reset: 49 * s},
		}},
		{"all requests count, without bound", []take{
			{at: 0, cost: 10, allowed: true, remaining: 0, reset: 60 * s},
			{at: 0, cost: 89, allowed: false, remaining: 0, reset: 60 * s}, // never allowed
			{at: 0, cost: 1, allowed: false, remaining: 0, reset: 60 * s, retryAfter: 114*s + 1},
		}},
		{"sums above math.MaxInt64", []take{
			{at: 0, cost: 1<<63 - 1, allowed: false, remaining: 0, reset: 60 * s},
			{at: 0, cost: 1<<63 - 1, allowed: false, remaining: 0, reset: 60 * s},
			{at: 0, cost: 1, allowed: false, remaining: 0, reset: 60 * s, retryAfter: 120 * s},
			{at: 120 * s, cost: 1, allowed: true, remaining: 9, reset: 60 * s},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := &ratelimittest.SlidingCounter{Policy: ratelimittest.Per(10, time.Minute)}
			c.Strict = true
			requireTakes(t, c, tt.takes)
		})
	}
}

func TestSlidingCounterQuotaAt(t *testing.T) {
	const s = time.Second
	c := &ratelimittest.SlidingCounter{Policy: ratelimittest.Per(0, time.Minute)}
	c.QuotaAt = lowerQuota(10, 5, start.Add(30*s), start.Add(100*s))
	requireTakes(t, c, []take{
		{at: 0, cost: 8, allowed: true, remaining: 2, reset: 60 * s},
		{at: 30 * s, cost: 1, allowed: false, remaining: 0, reset: 30 * s, retryAfter: 52500*time.Millisecond + 1}, // 8 × 37.5/60 = 5
		{at: 84 * s, cost: 1, allowed: true, remaining: 0, reset: 36 * s},                                          // 8 × 36/60 = 4.8
		{at: 105 * s, cost: 7, allowed: true, remaining: 0, reset: 15 * s},
	})
}
