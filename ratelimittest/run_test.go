package ratelimittest_test

import (
	"context"
	"math"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

func patient(base http.RoundTripper) *http.Client {
	return &http.Client{Transport: patientClient{base}}
}

func newWindow() ratelimittest.Limiter {
	return &ratelimittest.FixedWindow{Policy: tenPerMinute}
}

// A batch of 25 takes two windows and one round trip. Run changes neither the Scenario nor its Limiter, so it can be run again.
func TestRunOfABatch(t *testing.T) {
	scenario := ratelimittest.Scenario{
		Limiter:   ratelimittest.All(&ratelimittest.Linear{Policy: ratelimittest.Per(100, time.Hour)}, newWindow()),
		NewClient: patient,
		Load:      ratelimittest.Batch{Requests: 25, Workers: 5},
		Latency:   s,
	}
	f := ratelimittest.Run(t, scenario)
	require.Equal(t, 25, f.Made)
	require.Equal(t, 25, f.Served)
	require.Equal(t, 25, f.Allowed)
	require.Equal(t, len(f.Arrivals), f.Allowed+f.Refused)
	require.Equal(t, 10, f.Refused, "each worker, at the end of both windows")
	require.InDelta(t, 400, f.RefusedPerMille(), 1e-9)
	require.Equal(t, 2*time.Minute+s, f.Optimum)
	require.InDelta(t, 1, f.Slowdown(), 0.02)
	require.InDelta(t, 25.0/30, f.Used, 1e-9, "the third window has just begun")
	require.Greater(t, f.LongestGap, 50*s)
	require.Less(t, f.LongestGap, time.Minute)
	require.Zero(t, f.Median, "most calls do not wait")
	require.Contains(t, f.String(), "25 calls, 25 served")
	require.Equal(t, f.String(), ratelimittest.Run(t, scenario).String())
	require.EqualValues(t, 9, scenario.Limiter.Take(time.Now(), "", 1).Limits[1].Remaining, "the Limiter itself has decided nothing")
}

// Clients have different addresses and share one quota.
func TestRunOfAFleet(t *testing.T) {
	f := ratelimittest.Run(t, ratelimittest.Scenario{
		Limiter:   newWindow(),
		NewClient: patient,
		Clients:   3,
		Load:      ratelimittest.Batch{Requests: 1000, Workers: 2},
		Latency:   10 * ms,
		Duration:  5*time.Minute - s,
	})
	require.Len(t, f.Outcomes, 3)
	require.Equal(t, 3000, f.Made)
	require.Equal(t, 50, f.Allowed)
	require.Negative(t, f.Optimum)
	require.True(t, math.IsInf(f.Slowdown(), 1))
	addresses := map[string]bool{}
	for _, a := range f.Arrivals {
		addresses[a.RemoteAddr] = true
	}
	require.Len(t, addresses, 3)
	require.Greater(t, f.Jain, 0.95)
}

// Zero values of a Scenario's fields, and other special cases.
func TestRunOfSpecialCases(t *testing.T) {
	for _, row := range []struct {
		name          string
		scenario      ratelimittest.Scenario
		made, served  int
		used, optimum float64 // seconds, NaN if not known
	}{
		{"nothing", ratelimittest.Scenario{}, 0, 0, math.NaN(), math.NaN()},
		{"a limiter without RetryAfter", ratelimittest.Scenario{
			Limiter: &ratelimittest.Concurrency{Policy: ratelimittest.Policy{Quota: 2}},
			Load:    ratelimittest.Batch{Requests: 10, Workers: 2},
		}, 10, 10, math.NaN(), math.NaN()},
		{"a server that refuses everything", ratelimittest.Scenario{
			Limiter: ratelimittest.LimiterFunc(func(time.Time, string, int64) ratelimittest.Decision {
				return ratelimittest.Decision{RetryAfter: s}
			}),
			Load: ratelimittest.Batch{Requests: 2},
		}, 2, 0, math.NaN(), math.NaN()},
		{"costs", ratelimittest.Scenario{
			Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(100_000_000, time.Minute)},
			Cost:    func(*http.Request) int64 { return 50_000_000 },
			Load:    ratelimittest.Batch{Requests: 3}, NewClient: patient,
		}, 3, 3, 0.75, 60},
		{"calls that end their goroutine", ratelimittest.Scenario{
			NewCall: func(*http.Client) func(context.Context) error {
				return func(context.Context) error { runtime.Goexit(); return nil }
			},
			Load: ratelimittest.Batch{Requests: 5, Workers: 2},
		}, 5, 0, math.NaN(), math.NaN()},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := ratelimittest.Run(t, row.scenario)
			require.Equal(t, row.made, f.Made)
			require.Equal(t, row.served, f.Served)
			require.Equal(t, math.IsNaN(row.used), math.IsNaN(f.Used), "%v", f.Used)
			require.Equal(t, math.IsNaN(row.optimum), f.Optimum < 0, "%v", f.Optimum)
			if !math.IsNaN(row.used) {
				require.InDelta(t, row.used, f.Used, 1e-9)
			}
			if !math.IsNaN(row.optimum) {
				require.InDelta(t, row.optimum, f.Optimum.Seconds(), 1e-9)
			}
		})
	}
}

// Duration ends the calls, and what the server still does is waited for.
func TestRunOfAHandlerThatOutlivesItsClient(t *testing.T) {
	f := ratelimittest.Run(t, ratelimittest.Scenario{
		Next:     http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(10 * s) }),
		Load:     ratelimittest.Batch{Requests: 1},
		Duration: s,
	})
	require.Zero(t, f.Served)
	require.Equal(t, s, f.Took)
	require.Equal(t, 200, f.Arrivals[0].Status)
}

// A Scenario begins at Start, if the clock of a bubble has not passed it, and limits that change use times after it.
func TestRunBeginsAtItsStart(t *testing.T) {
	begin := time.Date(2031, time.May, 4, 12, 0, 0, 0, time.UTC)
	f := ratelimittest.Run(t, ratelimittest.Scenario{
		Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Window: time.Hour, QuotaAt: func(now time.Time) int64 {
			if now.Before(begin.Add(time.Hour)) || !now.Before(begin.Add(2*time.Hour)) {
				return 10
			}
			return 5
		}}},
		Start:     begin,
		NewClient: patient,
		Load:      ratelimittest.Batch{Requests: 20},
	})
	require.Equal(t, 2*time.Hour, f.Took)
	require.Equal(t, 2*time.Hour, f.Optimum)
	require.True(t, f.Arrivals[0].Time.Equal(begin))

	tooEarly := ratelimittest.Run(t, ratelimittest.Scenario{Start: time.Unix(0, 0), Load: ratelimittest.Batch{Requests: 1}})
	require.True(t, tooEarly.Arrivals[0].Time.Equal(time.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC)))
}

// Timeout counts from each call, so calls that wait for the next window fail.
func TestRunWithTimeout(t *testing.T) {
	f := ratelimittest.Run(t, ratelimittest.Scenario{
		Limiter:   newWindow(),
		NewClient: patient,
		Load:      ratelimittest.Batch{Requests: 15, Workers: 15}, // all at once
		Timeout:   10 * s,
	})
	require.Equal(t, 15, f.Made)
	require.Equal(t, 10, f.Served)
	require.Equal(t, time.Minute, f.Took, "this client ignores its context")
	require.Len(t, f.Failures(), 1)
}

// Run works with a Request whose context comes from outside the bubble, and ends with that context.
func TestRunWithAContextFromOutside(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://api.test/", http.NoBody)
	require.NoError(t, err)
	scenario := ratelimittest.Scenario{Request: req, Load: ratelimittest.Batch{Requests: 2}, Latency: s}
	f := ratelimittest.Run(t, scenario)
	require.Equal(t, 2, f.Served)
	require.Equal(t, 2*s, f.Took)

	cancel()
	f = ratelimittest.Run(t, scenario)
	require.Zero(t, f.Served)
	require.ErrorIs(t, f.Outcomes[0][1].Err, context.Canceled)
}
