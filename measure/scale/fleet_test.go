package scale

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/ratelimittest"
)

// measureFleets measures independent clients that share a quota.
func measureFleets(t *testing.T) *table {
	t.Helper()
	const (
		lasts = 10 * time.Minute
		share = 30 // requests of each client per minute
	)
	shown := &table{
		title: "Clients on one quota",
		text: fmt.Sprintf(`Clients know nothing of each other and always have more to send, for %.0f minutes, each with 16 workers and a latency of 50 ms.
Every call that ends by then is served, or is returned throttled after its last resend.

- Used is the part of the quota that was used. Jain's index is the fairness between clients (1: all got the same).
- Times and allocations are of client, network and server together.
- Without headway, clients send their shares of the quota evenly by themselves.`, lasts.Minutes()),
		columns: []string{
			"clients", "quota per minute", "limit", "requests", "refused per 1000", "after a minute", "calls throttled per 1000", "used", "Jain",
			"ns per request", "without headway", "allocations",
		},
		note: `The used part of the quota is flat. So are allocations and times, apart from resends. (Times of two clients rest on 600
requests and vary by half.) Refusals are not flat where the quota refills: the more clients there are, the less each of them
sees of its use, and the later it learns what the others take. Nor is fairness certain, as Jain's index shows. More fleets
are in [pacing.md](pacing.md).`,
	}
	m := newMeter(t)
	for _, limit := range []struct {
		name  string
		of    func(quota int64) ratelimittest.Limiter
		most  float64 // refused per 1000
		later float64 // refused per 1000 after the first minute
	}{
		{"window", func(q int64) ratelimittest.Limiter {
			w := &ratelimittest.FixedWindow{Policy: ratelimittest.Per(q, time.Minute)}
			w.Aligned = true
			return w
		}, 75, 50},
		{"refills", func(q int64) ratelimittest.Limiter {
			return &ratelimittest.Linear{Policy: ratelimittest.Per(q, time.Minute)}
		}, 130, 75},
	} {
		var first cost
		for i, clients := range sizes(2, 200) {
			quota := int64(share * clients)
			var f ratelimittest.Figures
			c := m.measure(func() {
				f = ratelimittest.Run(t, ratelimittest.Scenario{
					Limiter: limit.of(quota), Clients: clients, NewClient: paced,
					Load: ratelimittest.Batch{For: lasts, Workers: 16}, Latency: latency,
				})
			}).each(f.Allowed)
			own := m.withoutHeadway(t, limit.of(quota), clients, spaced{int(share * lasts / time.Minute), time.Minute / share})
			later := afterMinute(f.Arrivals)
			throttled := 1000 * float64(f.Made-f.Served) / float64(f.Served)
			shown.add(clients, int(quota), limit.name, f.Allowed, f.RefusedPerMille(), later, throttled,
				fmt.Sprintf("%.2f", f.Used), fmt.Sprintf("%.2f", f.Jain), int(c.time), int(own.time), c.allocs)
			if i == 0 {
				first = c
			}
			require.LessOrEqual(t, throttled, 5.0, "calls that were given up, per 1000 served")
			require.Equal(t, f.Made, f.Served+f.Failures()["429 Too Many Requests"], "no other call fails: %v", f.Failures())
			require.LessOrEqual(t, f.RefusedPerMille(), limit.most, "refused per 1000")
			require.LessOrEqual(t, later, limit.later, "refused per 1000 after a minute")
			require.GreaterOrEqual(t, f.Used, 0.85, "part of the quota that was used")
			require.GreaterOrEqual(t, f.Jain, 0.6, "fairness: a sixth for one of two is 0.69")
			if !kit.Raced {
				require.LessOrEqual(t, c.allocs, 1.25*first.allocs, "allocations for a request do not grow")
			}
		}
	}
	return shown
}

// afterMinute returns the refused requests per 1000 after the first minute, when all clients know the limit.
func afterMinute(all ratelimittest.Arrivals) float64 {
	begun := all[0].Time
	later := all.Between(begun.Add(time.Minute), begun.Add(time.Hour))
	return 1000 * float64(len(later.Refused())) / float64(len(later.Allowed()))
}

func paced(base http.RoundTripper) *http.Client {
	return &http.Client{Transport: &headway.Transport{Base: base}}
}
