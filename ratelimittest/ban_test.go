package ratelimittest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

func TestBan(t *testing.T) {
	tests := []struct {
		name   string
		after  int
		length time.Duration
		takes  []take
		banned []bool
	}{
		{"each request renews the ban", 0, 10 * s, []take{
			{at: 0, cost: 2, allowed: true, remaining: 0, reset: 60 * s},
			{at: 55 * s, cost: 1, allowed: false, reset: 5 * s, retryAfter: 10 * s},
			{at: 64 * s, cost: 1, allowed: false, remaining: 2, reset: 60 * s, retryAfter: 10 * s}, // the refused request takes no quota
			{at: 74 * s, cost: 1, allowed: true, remaining: 1, reset: 60 * s},
		}, []bool{false, true, true, false}},
		{"the limit lasts longer than the ban", 0, 10 * s, []take{
			{at: 0, cost: 2, allowed: true, remaining: 0, reset: 60 * s},
			{at: 30 * s, cost: 1, allowed: false, reset: 30 * s, retryAfter: 30 * s},
			{at: 60 * s, cost: 1, allowed: true, remaining: 1, reset: 60 * s},
		}, []bool{false, true, false}},
		{"the third refusal in a row is a ban, and the next window ends it", 2, 0, []take{
			{at: 0, cost: 2, allowed: true, remaining: 0, reset: 60 * s},
			{at: 1 * s, cost: 1, allowed: false, reset: 59 * s, retryAfter: 59 * s},
			{at: 2 * s, cost: 1, allowed: false, reset: 58 * s, retryAfter: 58 * s},
			{at: 3 * s, cost: 1, allowed: false, reset: 57 * s, retryAfter: 57 * s},
			{at: 4 * s, cost: 0, allowed: true, reset: 56 * s},
			{at: 5 * s, cost: 1, allowed: false, reset: 55 * s, retryAfter: 55 * s},
			{at: 60 * s, cost: 2, allowed: true, reset: 60 * s},
			{at: 61 * s, cost: 1, allowed: false, reset: 59 * s, retryAfter: 59 * s},
		}, []bool{false, false, false, true, false, true, false, false}},
		{"a cost that is never allowed, and a clock set back, which does not shorten a ban", -1, 10 * s, []take{
			{at: 60 * s, cost: 3, allowed: false, remaining: 2, reset: 60 * s},
			{at: 55 * s, cost: 1, allowed: false, remaining: 2, reset: 60 * s, retryAfter: 15 * s},
			{at: 56 * s, cost: 3, allowed: false, remaining: 2, reset: 60 * s},
		}, []bool{true, true, true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			limiter := func() ratelimittest.Limiter {
				return ratelimittest.Ban(&ratelimittest.FixedWindow{Policy: twoPerMinute}, tt.after, tt.length)
			}
			requireTakes(t, limiter(), tt.takes)
			l := ratelimittest.All(limiter())
			for i, x := range tt.takes {
				require.Equal(t, tt.banned[i], l.Take(start.Add(x.at), "client", x.cost).Banned, "at %v", x.at)
			}
		})
	}
}

// For a Limiter that is not of this package, the RetryAfter of a ban is its length.
func TestBanOfAFunction(t *testing.T) {
	asked := 0
	l := ratelimittest.Ban(ratelimittest.LimiterFunc(func(_ time.Time, _ string, cost int64) ratelimittest.Decision {
		asked += int(cost)
		return ratelimittest.Decision{Allowed: cost == 0, RetryAfter: time.Second}
	}), 1, time.Minute)
	require.Equal(t, ratelimittest.Decision{RetryAfter: time.Second}, l.Take(start, "client", 1))
	require.Equal(t, ratelimittest.Decision{RetryAfter: time.Minute, Banned: true}, l.Take(start, "client", 1))
	require.Equal(t, ratelimittest.Decision{RetryAfter: time.Minute, Banned: true}, l.Take(start.Add(time.Minute-1), "client", 1))
	require.Equal(t, 2, asked, "a banned client is not counted")
}
