package scale

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// measureHours has one client use up an hour's quota.
func measureHours(t *testing.T) *table {
	t.Helper()
	shown := &table{
		title: "An hour",
		text: `One client that has more to send than the quota of the hour, with 16 workers and a latency of 50 ms, from the beginning of a window to its end. The longest gap is the longest time
in which nothing was sent; even spacing has the one beside it. Allocations and times are of client, network and server together.`,
		columns: []string{"quota per hour", "served", "refused", "used", "longest gap", "even gap", "CV of gaps", "ns per request", "allocations"},
	}
	m := newMeter(t)
	var first cost
	for i, quota := range sizes(50, 50_000) {
		var f ratelimittest.Figures
		c := m.each(quota, func() {
			limiter := ratelimittest.NewFixedWindow(int64(quota), time.Hour)
			limiter.Aligned = true
			f = ratelimittest.Run(t, ratelimittest.Scenario{
				Limiter: limiter, NewClient: paced, Load: ratelimittest.Batch{Requests: 2 * quota, Workers: 16},
				Latency: latency, Duration: time.Hour - time.Second,
			})
		})
		even := time.Hour / time.Duration(quota)
		shown.add(quota, f.Allowed, f.Refused, fmt.Sprintf("%.3f", f.Used), f.LongestGap.Round(time.Millisecond),
			even.Round(time.Millisecond), fmt.Sprintf("%.2f", f.GapCV), int(c.time), c.allocs)
		if i == 0 {
			first = c
		}
		require.Zero(t, f.Refused)
		require.GreaterOrEqual(t, f.Used, 0.95, "part of the quota that was used")
		require.LessOrEqual(t, f.LongestGap, 3*even+time.Second, "no pause")
		if !raced {
			require.LessOrEqual(t, c.allocs, 1.1*first.allocs, "allocations for a request do not grow")
		}
	}
	return shown
}
