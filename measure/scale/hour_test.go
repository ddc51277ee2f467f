package scale

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/ratelimittest"
)

// measureHours measures one client that uses up the quota of an hour.
func measureHours(t *testing.T) *table {
	t.Helper()
	shown := &table{
		title: "An hour",
		text: `One client sends the quota of two hours, with 16 workers and a latency of 50 ms, from the beginning of a window.

- Used is the part of the first hour's quota that was used.
- The longest gap is the longest time without a request. The even gap is that of perfectly even spacing.
- Times and allocations are of client, network and server together. Without headway, a client sends one request every even gap.`,
		columns: []string{
			"quota per hour", "served", "refused", "used", "longest gap", "even gap", "CV of gaps",
			"ns per request", "without headway", "allocations",
		},
		note: `Nothing grows. At most one request of the quota is left over. The longest gap is about two even gaps, seldom more than
three. A request takes no longer. (Times of the first rows rest on few requests.)`,
	}
	m := newMeter(t)
	var first cost
	for i, quota := range sizes(50, 50_000) {
		var f ratelimittest.Figures
		limiter := &ratelimittest.FixedWindow{Policy: ratelimittest.Per(int64(quota), time.Hour)}
		limiter.Aligned = true
		c := m.measure(func() {
			f = ratelimittest.Run(t, ratelimittest.Scenario{
				Limiter: limiter, NewClient: paced, Load: ratelimittest.Batch{Requests: 2 * quota, Workers: 16},
				Latency: latency,
			})
		}).each(2 * quota)
		begun := f.Arrivals[0].Time
		used := float64(len(f.Arrivals.Between(begun, begun.Truncate(time.Hour).Add(time.Hour)).Allowed())) / float64(quota)
		even := time.Hour / time.Duration(quota)
		own := m.withoutHeadway(t, limiter, 1, spaced{2 * quota, even})
		shown.add(quota, f.Allowed, f.Refused, fmt.Sprintf("%.3f", used), f.LongestGap.Round(time.Millisecond),
			even.Round(time.Millisecond), fmt.Sprintf("%.2f", f.GapCV), int(c.time), int(own.time), c.allocs)
		if i == 0 {
			first = c
		}
		require.Equal(t, 2*quota, f.Served)
		require.Zero(t, f.Refused)
		require.GreaterOrEqual(t, used, 1-1.5/float64(quota), "part of the quota that was used")
		require.LessOrEqual(t, f.LongestGap, 4*even+time.Second, "no pause")
		if !kit.Raced {
			require.LessOrEqual(t, c.allocs, 1.1*first.allocs, "allocations for a request do not grow")
		}
	}
	return shown
}
