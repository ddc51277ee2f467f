package ratelimittest_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

var start = time.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC)

// A take is one request to a limiter, with its time after start and the expected decision.
type take struct {
	at         time.Duration
	cost       int64
	allowed    bool
	remaining  int64
	reset      time.Duration
	retryAfter time.Duration
}

func requireTakes(t *testing.T, l ratelimittest.Limiter, takes []take) {
	t.Helper()
	for i, want := range takes {
		d := l.Take(start.Add(want.at), "client", want.cost)
		require.Len(t, d.Limits, 1)
		got := take{want.at, want.cost, d.Allowed, d.Limits[0].Remaining, d.Limits[0].Reset, d.RetryAfter}
		require.Equal(t, want, got, "take %d at %v", i, want.at)
	}
}

func TestLinear(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	tests := []struct {
		name   string
		quota  int64
		window time.Duration
		takes  []take
	}{
		{"an idle client has the whole quota", 10, 60 * s, []take{
			{at: 0, cost: 0, allowed: true, remaining: 10, reset: 60 * s},
		}},
		{"each request uses one interval", 10, 60 * s, []take{
			{at: 0, cost: 1, allowed: true, remaining: 9, reset: 54 * s},
			{at: 0, cost: 1, allowed: true, remaining: 8, reset: 48 * s},
			{at: 2 * s, cost: 1, allowed: true, remaining: 7, reset: 44 * s}, // 48 + 2 − 6; 44/6 = 7.3
		}},
		{"a burst of the whole quota, then one per interval", 2, 2 * s, []take{
			{at: 0, cost: 1, allowed: true, remaining: 1, reset: s},
			{at: 0, cost: 1, allowed: true, remaining: 0, reset: 0},
			{at: 0, cost: 1, allowed: false, remaining: 0, reset: 0, retryAfter: s},
			{at: 999 * ms, cost: 1, allowed: false, remaining: 0, reset: 999 * ms, retryAfter: ms},
			{at: s, cost: 1, allowed: true, remaining: 0, reset: 0}, // refused requests were free
			{at: 1500 * ms, cost: 1, allowed: false, remaining: 0, reset: 500 * ms, retryAfter: 500 * ms},
		}},
		{"unused time is clamped to the window", 2, 2 * s, []take{
			{at: 0, cost: 2, allowed: true, remaining: 0, reset: 0},
			{at: time.Hour, cost: 0, allowed: true, remaining: 2, reset: 2 * s},
			{at: time.Hour, cost: 1, allowed: true, remaining: 1, reset: s},
		}},
		{"a cost of n counts like n requests", 10, 10 * s, []take{
			{at: 0, cost: 7, allowed: true, remaining: 3, reset: 3 * s},
			{at: 0, cost: 4, allowed: false, remaining: 3, reset: 3 * s, retryAfter: s},
			{at: 0, cost: 3, allowed: true, remaining: 0, reset: 0},
		}},
		{"a cost above the quota is never allowed", 10, 10 * s, []take{
			{at: 0, cost: 11, allowed: false, remaining: 10, reset: 10 * s},
			{at: 0, cost: 1 << 62, allowed: false, remaining: 10, reset: 10 * s},
		}},
		{"a quota of 0 allows nothing", 0, 10 * s, []take{
			{at: 0, cost: 1, allowed: false, remaining: 0, reset: 10 * s},
		}},
		{"an interval that is no whole number of nanoseconds", 7, s, []take{
			{at: 0, cost: 1, allowed: true, remaining: 6, reset: s - 142857142},
			{at: 0, cost: 6, allowed: true, remaining: 0, reset: 1},
			{at: 0, cost: 1, allowed: false, remaining: 0, reset: 1, retryAfter: 142857141},
			{at: 142857141, cost: 1, allowed: true, remaining: 0, reset: 0},
		}},
		{"a clock set back", 2, 2 * s, []take{
			{at: s, cost: 2, allowed: true, remaining: 0, reset: 0},
			{at: 0, cost: 1, allowed: false, remaining: 0, reset: s, retryAfter: 2 * s},
		}},
		{"a product of quota and window that overflows 64 bits", 1 << 40, 24 * time.Hour, []take{
			{at: 0, cost: 1 << 39, allowed: true, remaining: 1 << 39, reset: 12 * time.Hour},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			requireTakes(t, &ratelimittest.Linear{Policy: ratelimittest.Per(tt.quota, tt.window)}, tt.takes)
		})
	}
}

// The cost of a refused request in each form. With 10 per 60 s, a request moves the timestamp by 6 s.
func TestLinearForms(t *testing.T) {
	const s = time.Second
	tests := []struct {
		name    string
		strict  bool
		penalty time.Duration
		takes   []take
	}{
		{"lenient: a refused request is free", false, 0, []take{
			{at: 0, cost: 9, allowed: true, remaining: 1, reset: 6 * s},
			{at: 0, cost: 2, allowed: false, remaining: 1, reset: 6 * s, retryAfter: 6 * s},
			{at: 0, cost: 1, allowed: true, remaining: 0, reset: 0},
			{at: 2 * s, cost: 1, allowed: false, remaining: 0, reset: 2 * s, retryAfter: 4 * s},
			{at: 5 * s, cost: 1, allowed: false, remaining: 0, reset: 5 * s, retryAfter: s},
			{at: 6 * s, cost: 1, allowed: true, remaining: 0, reset: 0},
		}},
		{"strict: a refused request costs the remaining quota, and the timestamp becomes now", true, 0, []take{
			{at: 0, cost: 9, allowed: true, remaining: 1, reset: 6 * s},
			{at: 0, cost: 2, allowed: false, remaining: 0, reset: 0, retryAfter: 12 * s},
			{at: 0, cost: 1, allowed: false, remaining: 0, reset: 0, retryAfter: 6 * s},
			{at: 5 * s, cost: 1, allowed: false, remaining: 0, reset: 0, retryAfter: 6 * s},
			{at: 11*s - 1, cost: 0, allowed: true, remaining: 0, reset: 6*s - 1}, // cost 0 only reports
			{at: 11 * s, cost: 1, allowed: true, remaining: 0, reset: 0},
		}},
		{"strict: a client that does not slow down is not allowed", true, 0, append(
			[]take{{at: 0, cost: 10, allowed: true, remaining: 0, reset: 0}},
			refused(100, 5*s, 6*s)...,
		)},
		{"penalty: each refused request moves the timestamp, up to a minute ahead", false, 60 * s, []take{
			{at: 0, cost: 9, allowed: true, remaining: 1, reset: 6 * s},
			{at: 0, cost: 2, allowed: false, remaining: 0, reset: 6 * s, retryAfter: 18 * s}, // now + 6
			{at: 0, cost: 1, allowed: false, remaining: 0, reset: 12 * s, retryAfter: 18 * s},
			{at: 4 * s, cost: 0, allowed: true, remaining: 0, reset: 8 * s},
			{at: 4 * s, cost: 1, allowed: false, remaining: 0, reset: 14 * s, retryAfter: 20 * s},
			{at: 4 * s, cost: 7, allowed: false, remaining: 0, reset: 56 * s, retryAfter: 98 * s},
			{at: 4 * s, cost: 1, allowed: false, remaining: 0, reset: 60 * s, retryAfter: 66 * s}, // clamped
			{at: 4 * s, cost: 1, allowed: false, remaining: 0, reset: 60 * s, retryAfter: 66 * s},
			{at: 64 * s, cost: 0, allowed: true, remaining: 0, reset: 0},
			{at: 69 * s, cost: 0, allowed: true, remaining: 0, reset: 5 * s},
			{at: 70 * s, cost: 1, allowed: true, remaining: 0, reset: 0},
		}},
		{"a negative penalty is no penalty", true, -time.Hour, []take{
			{at: 0, cost: 10, allowed: true, remaining: 0, reset: 0},
			{at: s, cost: 1, allowed: false, remaining: 0, reset: 0, retryAfter: 6 * s},
		}},
		{"strict: a cost above the quota is charged, up to the clamp", true, 0, []take{
			{at: 0, cost: 11, allowed: false, remaining: 0, reset: 0},
			{at: 0, cost: 1, allowed: false, remaining: 0, reset: 0, retryAfter: 6 * s},
		}},
		{"penalty: a cost above the quota is charged, up to the clamp", true, 30 * s, []take{
			{at: 0, cost: 1 << 62, allowed: false, remaining: 0, reset: 30 * s},
			{at: 0, cost: 1 << 62, allowed: false, remaining: 0, reset: 30 * s},
			{at: 36 * s, cost: 1, allowed: true, remaining: 0, reset: 0},
		}},
		{"the longest penalty", false, math.MaxInt64, []take{
			{at: 0, cost: 11, allowed: false, remaining: 0, reset: math.MaxInt64 - 60*s},
			{at: 0, cost: 10, allowed: false, remaining: 0, reset: math.MaxInt64 - 60*s, retryAfter: math.MaxInt64},
		}},
		{"strict: a clock set back refunds nothing", true, 0, []take{
			{at: 10 * s, cost: 10, allowed: true, remaining: 0, reset: 0},
			{at: 0, cost: 1, allowed: false, remaining: 0, reset: 10 * s, retryAfter: 16 * s},
			{at: 15 * s, cost: 1, allowed: false, remaining: 0, reset: 0, retryAfter: 6 * s},
		}},
		{"penalty: a clock set back refunds nothing", false, 10 * s, []take{
			{at: 10 * s, cost: 10, allowed: true, remaining: 0, reset: 0},
			{at: 10 * s, cost: 5, allowed: false, remaining: 0, reset: 10 * s, retryAfter: 40 * s},
			{at: 0, cost: 1, allowed: false, remaining: 0, reset: 20 * s, retryAfter: 26 * s},
			{at: 10 * s, cost: 0, allowed: true, remaining: 0, reset: 10 * s},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := &ratelimittest.Linear{Policy: ratelimittest.Per(10, time.Minute)}
			l.Strict, l.Penalty = tt.strict, tt.penalty
			requireTakes(t, l, tt.takes)
		})
	}
}

// refused returns n refused takes, one interval apart.
func refused(n int, interval, retryAfter time.Duration) []take {
	takes := make([]take, n)
	for i := range takes {
		takes[i] = take{at: time.Duration(i+1) * interval, cost: 1, allowed: false, retryAfter: retryAfter}
	}
	return takes
}

func TestLinearQuotaAt(t *testing.T) {
	l := &ratelimittest.Linear{Policy: ratelimittest.Per(0, 10*time.Second)}
	l.QuotaAt = lowerQuota(10, 5, start.Add(5*time.Second), time.Time{})
	requireTakes(t, l, []take{
		{at: 0, cost: 10, allowed: true, remaining: 0, reset: 0},
		{at: 4 * time.Second, cost: 1, allowed: true, remaining: 3, reset: 3 * time.Second},
		{at: 5 * time.Second, cost: 1, allowed: true, remaining: 1, reset: 2 * time.Second},
		{at: 5 * time.Second, cost: 2, allowed: false, remaining: 1, reset: 2 * time.Second, retryAfter: 2 * time.Second},
	})
}
