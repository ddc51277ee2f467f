package scale

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/ratelimittest"
)

// measureFleets has clients that know nothing of each other share a quota.
func measureFleets(t *testing.T) *table {
	t.Helper()
	const minutes = 10
	shown := &table{
		title: "Clients on one quota",
		text: fmt.Sprintf(`Clients that know nothing of each other and have more to send than the quota allows for %d minutes, each with 16 workers and a latency of 50 ms. Used is the part of
the quota, Jain's index says how fairly it was shared (1: all alike). Allocations and times are of client, network and server together.`, minutes),
		columns: []string{"clients", "quota per minute", "limit", "requests", "refused per 1000", "after a minute", "used", "Jain", "ns per request", "allocations"},
	}
	m := newMeter(t)
	for _, limit := range []struct {
		name  string
		of    func(quota int64) ratelimittest.Limiter
		most  float64 // refused per 1000
		later float64 // the same after the first minute
	}{
		{"window", func(q int64) ratelimittest.Limiter {
			w := ratelimittest.NewFixedWindow(q, time.Minute)
			w.Aligned = true
			return w
		}, 75, 75},
		{"refills", func(q int64) ratelimittest.Limiter { return ratelimittest.NewLinear(q, time.Minute) }, 130, 130},
	} {
		var first cost
		for i, clients := range sizes(2, 200) {
			quota := int64(30 * clients)
			var f ratelimittest.Figures
			c := m.each(int(quota*minutes), func() {
				f = ratelimittest.Run(t, ratelimittest.Scenario{
					Limiter: limit.of(quota), Clients: clients, NewClient: paced,
					Load:    ratelimittest.Batch{Requests: 60 * minutes, Workers: 16},
					Latency: latency, Duration: minutes * time.Minute,
				})
			})
			later := afterMinute(f.Arrivals)
			shown.add(clients, int(quota), limit.name, f.Allowed, f.RefusedPerMille(), later,
				fmt.Sprintf("%.2f", f.Used), fmt.Sprintf("%.2f", f.Jain), int(c.time), c.allocs)
			if i == 0 {
				first = c
			}
			require.LessOrEqual(t, f.RefusedPerMille(), limit.most, "refused per 1000")
			require.LessOrEqual(t, later, limit.later, "refused per 1000 after a minute")
			require.GreaterOrEqual(t, f.Used, 0.85, "part of the quota that was used")
			require.GreaterOrEqual(t, f.Jain, 0.7, "fairness")
			if !raced {
				require.LessOrEqual(t, c.allocs, 1.25*first.allocs, "allocations for a request do not grow")
			}
		}
	}
	return shown
}

// afterMinute returns how many were refused of those that came when all knew the server.
func afterMinute(all ratelimittest.Arrivals) float64 {
	begun := all[0].Time
	later := all.Between(begun.Add(time.Minute), begun.Add(time.Hour))
	return 1000 * float64(len(later.Refused())) / float64(len(later.Allowed()))
}

func paced(base http.RoundTripper) *http.Client {
	return &http.Client{Transport: &headway.Transport{Base: base}}
}
