package pacing

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/internal/test/sim"
	"github.com/headway-go/headway/ratelimittest"
)

// newSilenceClients makes the clients of one run.
func newSilenceClients(t *testing.T, run int) func(http.RoundTripper) *http.Client {
	t.Helper()
	rng := kit.Chance(t, t.Name(), run)
	return func(base http.RoundTripper) *http.Client {
		return &http.Client{Transport: kit.SeededBy(rng, &headway.Transport{Base: base})}
	}
}

// A crowd that starts at once on a server without limits waits for a few round trips, and then not at all.
func TestSilenceOfAServerWithoutLimits(t *testing.T) {
	const crowd = 200
	for _, latency := range []time.Duration{
		time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond, 200 * time.Millisecond, time.Second, 2 * time.Second,
	} {
		t.Run(latency.String(), func(t *testing.T) {
			f := ratelimittest.Run(t, ratelimittest.Scenario{
				NewClient: newSilenceClients(t, 0),
				Load:      ratelimittest.Batch{Requests: 10 * crowd, Workers: crowd},
				Latency:   latency,
			})
			arrivals := f.Arrivals
			first := arrivals[crowd-1].Time.Sub(arrivals[0].Time) + latency
			t.Logf("the first %d in %.2f round trips, all in %.2f", crowd, float64(first)/float64(latency), float64(f.Took)/float64(latency))
			require.Equal(t, 10*crowd, f.Served)
			require.LessOrEqual(t, first, 6*latency)
			require.LessOrEqual(t, f.Took, (6+9)*latency, "each worker goes on at once")
		})
	}
}

// Random refusals do not slow the client down for good.
func TestSilenceOfAFlakyServer(t *testing.T) {
	const runs = 3
	for _, row := range []struct {
		name   string
		status int
		retry  int // Retry-After in seconds
		least  int // the fewest served in half an hour, on average
	}{
		{"Retry-After", http.StatusTooManyRequests, 1, 400},
		{"bare 429", http.StatusTooManyRequests, 0, 600},
		{"503", http.StatusServiceUnavailable, 1, 2490},       // nearly all
		{"plain 503", http.StatusServiceUnavailable, 0, 2200}, // of 2250, as plain 503s are not sent again
	} {
		if kit.Raced && row.retry == 0 {
			continue // the race detector does not need the figures
		}
		t.Run(row.name, func(t *testing.T) {
			all := 0
			for run := range runs {
				f := ratelimittest.Run(t, ratelimittest.Scenario{
					NewClient: newSilenceClients(t, run),
					Load:      ratelimittest.Batch{Requests: 2500, Workers: 16},
					Latency:   50 * time.Millisecond,
					Duration:  30 * time.Minute,
					Front: ratelimittest.Fault{
						When: sim.Chance(kit.Chance(t, t.Name()+", refusals", run), 0.1), Status: row.status, RetryAfter: time.Duration(row.retry) * time.Second,
					}.Wrap,
				})
				t.Logf("%d served", f.Served)
				all += f.Served
			}
			require.GreaterOrEqual(t, all, runs*row.least)
		})
	}
}

// Clients that begin at once share a quota that the server does not report.
func TestSilenceOfAFleet(t *testing.T) {
	const quota, windows = 60, 20
	for _, row := range []struct {
		name       string
		clients    int
		retryAfter ratelimittest.Dialect
		refused    float64 // at most, per 1000
		used, jain float64 // at least
	}{
		{"8, Retry-After", 8, sim.RetryAfterSeconds, 150, 0.94, 0.85},
		{"8, bare 429", 8, ratelimittest.Silent, 250, 0.94, 0.85},
		{"32, Retry-After", 32, sim.RetryAfterSeconds, 350, 0.94, 0.55},
		{"32, bare 429", 32, ratelimittest.Silent, 800, 0.94, 0.7},
	} {
		if kit.Raced && row.name != "8, Retry-After" {
			continue // the race detector does not need the figures
		}
		t.Run(row.name, func(t *testing.T) {
			var refused, used, jain float64
			runs := max(2, 32/row.clients)
			for run := range runs {
				f := ratelimittest.Run(t, ratelimittest.Scenario{
					Limiter:    &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Quota: quota, Window: time.Minute}, Aligned: true},
					Dialect:    ratelimittest.Silent,
					RetryAfter: row.retryAfter,
					NewClient:  newSilenceClients(t, run),
					Clients:    row.clients,
					Load:       ratelimittest.Batch{Requests: windows * quota, Workers: 16},
					Latency:    50 * time.Millisecond,
					Start:      kit.Epoch().Add(time.Minute * time.Duration(run) / time.Duration(runs)),
					Duration:   windows * time.Minute,
				})
				refused += f.RefusedPerMille() / float64(runs)
				used += f.Used / float64(runs)
				jain += f.Jain / float64(runs)
			}
			t.Logf("%.1f refused per 1000, %.3f used, Jain %.3f", refused, used, jain)
			require.LessOrEqual(t, refused, row.refused)
			require.GreaterOrEqual(t, used, row.used)
			require.GreaterOrEqual(t, jain, row.jain)
		})
	}
}

// A quota of far more than a thousand per window is spread over the window.
func TestSilenceOfAFastServer(t *testing.T) {
	if kit.Raced {
		t.Skip("the race detector does not need the figures")
	}
	const windows = 4
	for _, row := range []struct {
		name       string
		retryAfter ratelimittest.Dialect
	}{
		{"Retry-After", sim.RetryAfterSeconds},
		{"bare 429", ratelimittest.Silent},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := ratelimittest.Run(t, ratelimittest.Scenario{
				Limiter:    &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Quota: 6000, Window: time.Minute}, Aligned: true},
				Dialect:    ratelimittest.Silent,
				RetryAfter: row.retryAfter,
				NewClient:  newSilenceClients(t, 0),
				Load:       ratelimittest.Batch{Requests: 30_000, Workers: 64},
				Latency:    50 * time.Millisecond,
				Start:      kit.Epoch(),
				Duration:   windows * time.Minute,
			})
			later := f.Arrivals.Between(kit.Epoch().Add(2*time.Minute), kit.Epoch().Add(windows*time.Minute))
			busiest := float64(later.Busiest(6*time.Second)) / 600
			t.Logf("%.1f refused per 1000, %.3f used, busiest tenth %.2f", f.RefusedPerMille(), f.Used, busiest)
			require.LessOrEqual(t, f.RefusedPerMille(), 9.0)
			require.LessOrEqual(t, busiest, 2.0)
		})
	}
}

// Servers without a burst, as nginx's limit_req, refuse whoever is a little too early, and clients of a fleet meet there by chance. Neither
// makes a client slow for long.
func TestSilenceOfAServerWithoutABurst(t *testing.T) {
	const perSecond, requests, runs = 20, 600, 6
	for _, row := range []struct {
		name     string
		clients  int
		finished float64 // over the even time, at most
		refused  float64 // per 1000 that were allowed, at most
	}{
		{"one client", 1, 1.5, 40},        // 1.28; 2.3 when backoffs did not depend on the pace
		{"a fleet of four", 4, 18.0, 250}, // 10 or so, as the last of four is mostly alone; 33 when few successes made a rate
	} {
		if kit.Raced {
			continue // it looks for other things
		}
		t.Run(row.name, func(t *testing.T) {
			var finished, refused float64
			for run := range runs {
				f := ratelimittest.Run(t, ratelimittest.Scenario{
					Limiter:    &ratelimittest.Linear{Policy: ratelimittest.Per(1, time.Second/perSecond)},
					Dialect:    ratelimittest.Silent,
					RetryAfter: ratelimittest.Silent,
					NewClient:  newSilenceClients(t, run),
					Clients:    row.clients,
					Load:       ratelimittest.Batch{Requests: requests / row.clients, Workers: 8},
					Latency:    2 * time.Millisecond,
				})
				finished += f.Took.Seconds() / (requests / perSecond) / runs
				refused += f.RefusedPerMille() / runs
			}
			t.Logf("%.2f of the even time, %.1f refused per 1000", finished, refused)
			require.LessOrEqual(t, finished, row.finished)
			require.LessOrEqual(t, refused, row.refused)
		})
	}
}
