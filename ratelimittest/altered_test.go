package ratelimittest_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

func TestHidden(t *testing.T) {
	quota := ratelimittest.NewLinear(1, time.Minute)
	l := ratelimittest.Hidden(quota)
	require.Equal(t, ratelimittest.Decision{Allowed: true}, l.Take(start, "client", 1))
	require.Equal(t, ratelimittest.Decision{}, l.Take(start, "client", 1), "a bare refusal")
	require.Zero(t, quota.Take(start, "client", 0).Limits[0].Remaining, "the hidden limiter has decided")
	require.EqualValues(t, 2, ratelimittest.Granted(ratelimittest.Hidden(ratelimittest.NewLinear(1, time.Minute)), start, time.Minute),
		"the figures know the hidden limit")
}

// A client sees one limit, while a hidden one refuses.
func TestAllWithAHiddenLimit(t *testing.T) {
	shown := ratelimittest.NewFixedWindow(10, time.Minute)
	l := ratelimittest.All(shown, ratelimittest.Hidden(ratelimittest.NewFixedWindow(2, time.Second)))
	for _, step := range []struct {
		at        time.Duration
		allowed   bool
		remaining int64
	}{
		{0, true, 9},
		{0, true, 8},
		{0, false, 8},
		{time.Second - 1, false, 8},
		{time.Second, true, 7},
	} {
		d := l.Take(start.Add(step.at), "client", 1)
		require.Equal(t, step.allowed, d.Allowed)
		require.Len(t, d.Limits, 1)
		require.Equal(t, step.remaining, d.Limits[0].Remaining)
	}
}

func TestUnderstate(t *testing.T) {
	const s = time.Second
	tests := []struct {
		name string
		by   int64
		want []int64 // r before, during and after; 9 units remain
	}{
		{"some", 4, []int64{9, 5, 9}},
		{"more than there is", math.MaxInt64, []int64{9, 0, 9}},
		{"none", 0, []int64{9, 9, 9}},
		{"negative", math.MinInt64, []int64{9, 9, 9}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			both := ratelimittest.All(ratelimittest.NewFixedWindow(10, time.Minute), ratelimittest.NewFixedWindow(10, time.Hour))
			both.Take(start, "client", 1)
			l := ratelimittest.Understate(both, tt.by, start.Add(s), start.Add(2*s))
			for i, want := range tt.want {
				for _, limit := range l.Take(start.Add(time.Duration(i)*s), "client", 0).Limits {
					require.Equal(t, want, limit.Remaining)
					require.EqualValues(t, 10, limit.Quota)
				}
			}
		})
	}
}

// Understate does not change the slice of the limiter's Decision.
func TestUnderstateChangesACopy(t *testing.T) {
	own := []ratelimittest.Limit{{Remaining: 9}}
	l := ratelimittest.Understate(ratelimittest.LimiterFunc(func(time.Time, string, int64) ratelimittest.Decision {
		return ratelimittest.Decision{Allowed: true, Limits: own}
	}), 5, start, time.Time{})
	for range 2 {
		require.EqualValues(t, 4, l.Take(start, "", 1).Limits[0].Remaining)
	}
}
