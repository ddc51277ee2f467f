package ratelimittest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

func TestTokenBucket(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	policy := func(quota int64, window time.Duration) ratelimittest.Policy {
		return ratelimittest.Policy{Quota: quota, Window: window}
	}
	tests := []struct {
		name   string
		bucket *ratelimittest.TokenBucket
		takes  []take
	}{
		{"a full bucket, then one token per interval", &ratelimittest.TokenBucket{Policy: ratelimittest.Per(2, 2*s)}, []take{
			{at: 0, cost: 0, allowed: true, remaining: 2, reset: s},
			{at: 0, cost: 1, allowed: true, remaining: 1, reset: s},
			{at: 0, cost: 1, allowed: true, remaining: 0, reset: s},
			{at: 0, cost: 1, allowed: false, remaining: 0, reset: s, retryAfter: s},
			{at: s - 1, cost: 1, allowed: false, remaining: 0, reset: 1, retryAfter: 1},
			{at: s, cost: 1, allowed: true, remaining: 0, reset: s}, // refused requests were free
			{at: 1500 * ms, cost: 1, allowed: false, remaining: 0, reset: 500 * ms, retryAfter: 500 * ms},
		}},
		{"capacity 5 and 10 per second", &ratelimittest.TokenBucket{Policy: policy(10, s), Capacity: 5}, []take{
			{at: 0, cost: 5, allowed: true, remaining: 0, reset: 100 * ms},
			{at: 250 * ms, cost: 1, allowed: true, remaining: 1, reset: 50 * ms}, // 2.5 − 1
			{at: 250 * ms, cost: 3, allowed: false, remaining: 1, reset: 50 * ms, retryAfter: 150 * ms},
			{at: 400 * ms, cost: 3, allowed: true, remaining: 0, reset: 100 * ms},
			{at: s, cost: 0, allowed: true, remaining: 5, reset: 100 * ms}, // full after 0.5 s
			{at: s, cost: 6, allowed: false, remaining: 5, reset: 100 * ms},
		}},
		{"capacity 20 and 10 per second", &ratelimittest.TokenBucket{Policy: policy(10, s), Capacity: 20}, []take{
			{at: 0, cost: 20, allowed: true, remaining: 0, reset: 100 * ms},
			{at: s, cost: 11, allowed: false, remaining: 10, reset: 100 * ms, retryAfter: 100 * ms},
			{at: 2 * s, cost: 20, allowed: true, remaining: 0, reset: 100 * ms},
		}},
		{"capacity 10 and 5 every 10 s at once", &ratelimittest.TokenBucket{Policy: policy(30, 60*s), Capacity: 10, Step: 10 * s}, []take{
			{at: 3 * s, cost: 0, allowed: true, remaining: 10, reset: 10 * s},
			{at: 3 * s, cost: 9, allowed: true, remaining: 1, reset: 10 * s},
			{at: 8 * s, cost: 1, allowed: true, remaining: 0, reset: 5 * s},
			{at: 8 * s, cost: 1, allowed: false, remaining: 0, reset: 5 * s, retryAfter: 5 * s},
			{at: 8 * s, cost: 6, allowed: false, remaining: 0, reset: 5 * s, retryAfter: 15 * s},
			{at: 13*s - 1, cost: 1, allowed: false, remaining: 0, reset: 1, retryAfter: 1},
			{at: 13 * s, cost: 1, allowed: true, remaining: 4, reset: 10 * s},
			{at: 24 * s, cost: 1, allowed: true, remaining: 8, reset: 9 * s},
			{at: 34 * s, cost: 0, allowed: true, remaining: 10, reset: 10 * s}, // the bucket is full, so the steps begin anew
			{at: 34 * s, cost: 10, allowed: true, remaining: 0, reset: 10 * s},
			{at: 43 * s, cost: 1, allowed: false, remaining: 0, reset: s, retryAfter: s},
		}},
		{"steps of less than a token: 10 per minute, every 4 s", &ratelimittest.TokenBucket{Policy: policy(10, 60*s), Step: 4 * s}, []take{
			{at: 0, cost: 10, allowed: true, remaining: 0, reset: 8 * s},
			{at: 4 * s, cost: 0, allowed: true, remaining: 0, reset: 4 * s}, // 0.67
			{at: 8 * s, cost: 0, allowed: true, remaining: 1, reset: 4 * s}, // 1.33
			{at: 12 * s, cost: 0, allowed: true, remaining: 2, reset: 8 * s},
			{at: 59 * s, cost: 9, allowed: true, remaining: 0, reset: s}, // 14 steps, 9.33
			{at: 60 * s, cost: 1, allowed: true, remaining: 0, reset: 8 * s},
		}},
		{"FullReset: the time until the bucket is full", &ratelimittest.TokenBucket{Policy: policy(10, 10*s), FullReset: true}, []take{
			{at: 0, cost: 0, allowed: true, remaining: 10, reset: 0},
			{at: 0, cost: 4, allowed: true, remaining: 6, reset: 4 * s},
			{at: 1500 * ms, cost: 8, allowed: false, remaining: 7, reset: 2500 * ms, retryAfter: 500 * ms},
			{at: 4 * s, cost: 0, allowed: true, remaining: 10, reset: 0},
		}},
		{"an interval that is no whole number of nanoseconds", &ratelimittest.TokenBucket{Policy: ratelimittest.Per(7, s)}, []take{
			{at: 0, cost: 7, allowed: true, remaining: 0, reset: 142857143}, // a seventh is 142857142.86
			{at: 142857143, cost: 1, allowed: true, remaining: 0, reset: 142857143},
			{at: 285714286, cost: 1, allowed: true, remaining: 0, reset: 142857143},
			{at: 428571429, cost: 1, allowed: true, remaining: 0, reset: 142857143},
			{at: 571428572, cost: 1, allowed: true, remaining: 0, reset: 142857143},
			{at: 714285715, cost: 1, allowed: true, remaining: 0, reset: 142857143},
			{at: 857142858, cost: 1, allowed: true, remaining: 0, reset: 142857142},
			{at: s, cost: 1, allowed: true, remaining: 0, reset: 142857143}, // nothing was lost
		}},
		{"a quota of 0 allows nothing", &ratelimittest.TokenBucket{Capacity: 10}, []take{
			{at: 0, cost: 1, allowed: false, remaining: 0, reset: -1},
			{at: 0, cost: -1, allowed: true, remaining: 0, reset: -1},
		}},
		{"a cost above the capacity is never allowed", &ratelimittest.TokenBucket{Policy: ratelimittest.Per(10, 10*s)}, []take{
			{at: 0, cost: 11, allowed: false, remaining: 10, reset: s},
			{at: 0, cost: 1 << 62, allowed: false, remaining: 10, reset: s},
		}},
		{"a clock set back", &ratelimittest.TokenBucket{Policy: ratelimittest.Per(2, 2*s)}, []take{
			{at: s, cost: 1, allowed: true, remaining: 1, reset: s},
			{at: 0, cost: 1, allowed: true, remaining: 0, reset: 2 * s},
			{at: 0, cost: 1, allowed: false, remaining: 0, reset: 2 * s, retryAfter: 2 * s},
			{at: 2 * s, cost: 1, allowed: true, remaining: 0, reset: s},
		}},
		{"a product of quota and window that overflows 64 bits", &ratelimittest.TokenBucket{Policy: ratelimittest.Per(1<<62, 24*time.Hour)}, []take{
			{at: 0, cost: 1 << 62, allowed: true, remaining: 0, reset: 1},
			{at: 12 * time.Hour, cost: 1 << 61, allowed: true, remaining: 0, reset: 1},
		}},
		{"a bucket that takes longer to fill than a time.Duration", &ratelimittest.TokenBucket{Policy: policy(1, 24*time.Hour), Capacity: 1 << 40}, []take{
			{at: 0, cost: 1 << 40, allowed: true, remaining: 0, reset: 24 * time.Hour},
			{at: 0, cost: 1 << 40, allowed: false, remaining: 0, reset: 24 * time.Hour},
			{at: 24 * time.Hour, cost: 1, allowed: true, remaining: 0, reset: 24 * time.Hour},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			requireTakes(t, tt.bucket, tt.takes)
		})
	}
}

func TestTokenBucketQuotaAt(t *testing.T) {
	const s = time.Second
	quota := int64(10)
	b := &ratelimittest.TokenBucket{Policy: ratelimittest.Per(0, 10*s)}
	b.QuotaAt = func(time.Time) int64 { return quota }
	requireTakes(t, b, []take{{at: 0, cost: 2, allowed: true, remaining: 8, reset: s}})
	quota = 5
	requireTakes(t, b, []take{
		{at: 0, cost: 0, allowed: true, remaining: 5, reset: 2 * s},
		{at: 0, cost: 5, allowed: true, remaining: 0, reset: 2 * s},
		{at: 3 * s, cost: 1, allowed: true, remaining: 0, reset: s}, // 1.5 − 1
	})
	quota = 0
	requireTakes(t, b, []take{{at: 4 * s, cost: 1, allowed: false, remaining: 0, reset: -1}})
	quota = 10
	requireTakes(t, b, []take{{at: 4 * s, cost: 1, allowed: true, remaining: 0, reset: 500 * time.Millisecond}})
}

// Requests in between do not change how full a bucket is later, whatever the quota is then.
func TestTokenBucketIsNotChangedByARefusal(t *testing.T) {
	const s = time.Second
	for name, look := range map[string]func(l ratelimittest.Limiter){
		"none":    func(ratelimittest.Limiter) {},
		"its own": func(l ratelimittest.Limiter) { l.Take(start.Add(10500*time.Millisecond), "client", 0) },
		"refused": func(l ratelimittest.Limiter) { l.Take(start.Add(10500*time.Millisecond), "client", 11) },
		"another": func(l ratelimittest.Limiter) { l.Take(start.Add(10500*time.Millisecond), "another", 1) },
	} {
		l := &ratelimittest.TokenBucket{Capacity: 10, Policy: ratelimittest.Policy{
			Window: 60 * s, QuotaAt: lowerQuota(10, 6000, start.Add(10*s), start.Add(11*s)),
		}}
		require.True(t, l.Take(start, "client", 10).Allowed)
		look(l)
		require.EqualValues(t, 2, l.Take(start.Add(12*s), "client", 0).Limits[0].Remaining, name)
	}
}

// In the long run a bucket gives the same number of tokens, however often the client asks.
func TestTokenBucketLosesNothing(t *testing.T) {
	for _, step := range []time.Duration{0, 7 * time.Millisecond, 333 * time.Millisecond} {
		often := &ratelimittest.TokenBucket{Policy: ratelimittest.Policy{Quota: 7, Window: time.Second}, Step: step}
		require.True(t, often.Take(start, "client", 7).Allowed)
		var taken int64
		const long = 700 * 333 * time.Millisecond // a whole number of each step
		for at := time.Duration(0); at <= long; at += 21 * time.Millisecond {
			if often.Take(start.Add(at), "client", 1).Allowed {
				taken++
			}
		}
		taken += often.Take(start.Add(long), "client", 0).Limits[0].Remaining
		require.EqualValues(t, 7*long/time.Second, taken, "steps of %v", step)
	}
}
