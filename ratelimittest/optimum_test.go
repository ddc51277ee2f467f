package ratelimittest_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

func aligned(quota int64, window time.Duration) *ratelimittest.FixedWindow {
	f := ratelimittest.NewFixedWindow(quota, window)
	f.Aligned = true
	return f
}

func TestOptimum(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	tests := []struct {
		name    string
		batch   ratelimittest.Batch
		limiter ratelimittest.Limiter
		start   time.Time
		latency time.Duration
		want    time.Duration
	}{
		{"nothing to send", ratelimittest.Batch{}, ratelimittest.NewLinear(10, s), start, s, 0},
		{
			"linear: 10 at once, 90 at 10 per second", ratelimittest.Batch{Requests: 100, Workers: 100},
			ratelimittest.NewLinear(10, s), start, 0, 9 * s,
		},
		{
			"linear: there and back once each", ratelimittest.Batch{Requests: 100, Workers: 100},
			ratelimittest.NewLinear(10, s), start, 100 * ms, 9*s + 100*ms,
		},
		{
			"one worker is bound by its latency", ratelimittest.Batch{Requests: 10},
			ratelimittest.NewLinear(100, s), start, 100 * ms, s,
		},
		// Two workers need 4 rounds of 1 s for 8 requests; the limit alone would let them end after 1 s.
		{
			"two workers", ratelimittest.Batch{Requests: 8, Workers: 2},
			ratelimittest.NewLinear(8, s), start, s, 4 * s,
		},
		{
			"fixed window: 100 in the tenth window", ratelimittest.Batch{Requests: 100, Workers: 16},
			ratelimittest.NewFixedWindow(10, s), start, 0, 9 * s,
		},
		{
			"fixed window opened by an arrival", ratelimittest.Batch{Requests: 11, Workers: 16},
			ratelimittest.NewFixedWindow(10, s), start, 200 * ms, s + 200*ms,
		},
		{
			"aligned window, started 0.7 s into one", ratelimittest.Batch{Requests: 11, Workers: 16},
			aligned(10, s), start.Add(700 * ms), 200 * ms, 300*ms + 100*ms,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, tt.batch.Optimum(tt.limiter, tt.start, tt.latency))
		})
	}
	require.Panics(t, func() {
		ratelimittest.Batch{Requests: 1}.Optimum(ratelimittest.NewLinear(0, s), start, 0)
	})
}

func TestGranted(t *testing.T) {
	const s = time.Second
	require.EqualValues(t, 10, ratelimittest.Granted(ratelimittest.NewLinear(10, s), start, 0))
	require.EqualValues(t, 30, ratelimittest.Granted(ratelimittest.NewLinear(10, s), start, 2*s))
	require.EqualValues(t, 20, ratelimittest.Granted(ratelimittest.NewFixedWindow(10, s), start, 2*s-1))
	require.EqualValues(t, 30, ratelimittest.Granted(ratelimittest.NewFixedWindow(10, s), start, 2*s))
	require.EqualValues(t, 30, ratelimittest.Granted(aligned(10, s), start.Add(s-1), s+1))
	require.Zero(t, ratelimittest.Granted(ratelimittest.NewLinear(0, s), start, s))
}

func TestUsed(t *testing.T) {
	a := arrivals(0, 0.5, 1, 1.5, 2) // 2 s on 2 per second
	a = append(a, ratelimittest.Arrival{Time: start.Add(2 * time.Second), Cost: 7})
	require.InDelta(t, 5.0/6, a.Used(ratelimittest.NewLinear(2, time.Second)), 1e-9, "the refused one was not used")
	a[0].Cost = 2
	require.InDelta(t, 1, a.Used(ratelimittest.NewLinear(2, time.Second)), 1e-9, "in units")

	none := ratelimittest.Arrivals(nil).Used(ratelimittest.NewLinear(2, time.Second))
	require.True(t, math.IsNaN(none), "%v", none)
}
