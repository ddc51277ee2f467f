package ratelimittest_test

import (
	"context"
	"errors"
	"math"
	"net/http"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

func patient(base http.RoundTripper) *http.Client {
	return &http.Client{Transport: patientClient{base}}
}

func tenPerMinute() ratelimittest.Limiter {
	return &ratelimittest.FixedWindow{Policy: ratelimittest.Per(10, time.Minute)}
}

// A batch of 25 takes two windows and one round trip.
func TestRunOfABatch(t *testing.T) {
	f := ratelimittest.Run(t, ratelimittest.Scenario{
		Limiter:   tenPerMinute(),
		NewClient: patient,
		Load:      ratelimittest.Batch{Requests: 25, Workers: 5},
		Latency:   time.Second,
	})
	require.Equal(t, 25, f.Made)
	require.Equal(t, 25, f.Served)
	require.Equal(t, 25, f.Allowed)
	require.Equal(t, len(f.Arrivals), f.Allowed+f.Refused)
	require.Equal(t, 10, f.Refused, "each worker, at the end of both windows")
	require.InDelta(t, 400, f.RefusedPerMille(), 1e-9)
	require.Equal(t, 2*time.Minute+time.Second, f.Optimum)
	require.InDelta(t, 1, f.Slowdown(), 0.02)
	require.InDelta(t, 25.0/30, f.Used, 1e-9, "the third window has just begun")
	require.Greater(t, f.LongestGap, 50*time.Second)
	require.Less(t, f.LongestGap, time.Minute)
	require.Zero(t, f.Median, "most calls do not wait")
	require.Contains(t, f.String(), "25 calls, 25 served")
}

// Clients have different addresses and share one quota.
func TestRunOfAFleet(t *testing.T) {
	f := ratelimittest.Run(t, ratelimittest.Scenario{
		Limiter:   tenPerMinute(),
		NewClient: patient,
		Clients:   3,
		Load:      ratelimittest.Batch{Requests: 1000, Workers: 2},
		Latency:   10 * time.Millisecond,
		Duration:  5*time.Minute - time.Second,
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

// A client with few requests never waits.
func TestRunOfFewRequests(t *testing.T) {
	f := ratelimittest.Run(t, ratelimittest.Scenario{
		Limiter: tenPerMinute(),
		Load:    ratelimittest.Batch{Requests: 10},
		Latency: time.Second,
	})
	require.Equal(t, 10, f.Served)
	require.Zero(t, f.Refused)
	require.Zero(t, f.P99)
}

// Zero values of a Scenario's fields, and other special cases.
func TestRunOfSpecialCases(t *testing.T) {
	start := time.Date(2031, time.May, 4, 3, 2, 1, 0, time.UTC)
	for _, row := range []struct {
		name     string
		scenario ratelimittest.Scenario
		check    func(t *testing.T, f ratelimittest.Figures)
	}{
		{"nothing", ratelimittest.Scenario{}, func(t *testing.T, f ratelimittest.Figures) {
			t.Helper()
			require.Zero(t, f.Made)
			require.True(t, math.IsNaN(f.Used))
		}},
		{"no limiter", ratelimittest.Scenario{Load: ratelimittest.Batch{Requests: 3}}, func(t *testing.T, f ratelimittest.Figures) {
			t.Helper()
			require.Equal(t, 3, f.Served)
			require.True(t, math.IsNaN(f.Used))
		}},
		{"a limiter without RetryAfter", ratelimittest.Scenario{
			Limiter: &ratelimittest.Concurrency{Policy: ratelimittest.Policy{Quota: 2}},
			Load:    ratelimittest.Batch{Requests: 10, Workers: 2},
		}, func(t *testing.T, f ratelimittest.Figures) {
			t.Helper()
			require.Equal(t, 10, f.Served)
			require.Negative(t, f.Optimum)
		}},
		{"a limiter that refuses nothing", ratelimittest.Scenario{
			Limiter: ratelimittest.LimiterFunc(func(time.Time, string, int64) ratelimittest.Decision {
				return ratelimittest.Decision{Allowed: true}
			}),
			Load: ratelimittest.Batch{Requests: 1},
		}, func(t *testing.T, f ratelimittest.Figures) {
			t.Helper()
			require.Equal(t, 1, f.Served)
			require.True(t, math.IsNaN(f.Used))
		}},
		{"costs", ratelimittest.Scenario{
			Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(100_000_000, time.Minute)},
			Cost:    func(*http.Request) int64 { return 50_000_000 },
			Load:    ratelimittest.Batch{Requests: 3}, NewClient: patient,
		}, func(t *testing.T, f ratelimittest.Figures) {
			t.Helper()
			require.Equal(t, 3, f.Served)
			require.Equal(t, time.Minute, f.Optimum)
			require.InDelta(t, 0.75, f.Used, 1e-9)
		}},
		{"a server that refuses everything", ratelimittest.Scenario{
			Limiter: ratelimittest.LimiterFunc(func(time.Time, string, int64) ratelimittest.Decision {
				return ratelimittest.Decision{RetryAfter: time.Second}
			}),
			Load: ratelimittest.Batch{Requests: 2},
		}, func(t *testing.T, f ratelimittest.Figures) {
			t.Helper()
			require.Zero(t, f.Served)
			require.True(t, math.IsNaN(f.Used))
		}},
		{"a handler that outlives its client", ratelimittest.Scenario{
			Next:     http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(10 * time.Second) }),
			Load:     ratelimittest.Batch{Requests: 1},
			Duration: time.Second,
		}, func(t *testing.T, f ratelimittest.Figures) {
			t.Helper()
			require.Zero(t, f.Served)
			require.Equal(t, time.Second, f.Took)
			require.Equal(t, 200, f.Arrivals[0].Status)
		}},
		{"calls that end their goroutine", ratelimittest.Scenario{
			NewCall: func(*http.Client) func(context.Context) error {
				return func(context.Context) error { runtime.Goexit(); return nil }
			},
			Load: ratelimittest.Batch{Requests: 5, Workers: 2},
		}, func(t *testing.T, f ratelimittest.Figures) {
			t.Helper()
			require.Equal(t, 5, f.Made)
			require.Zero(t, f.Served)
		}},
		{"a client that gives up", ratelimittest.Scenario{Limiter: tenPerMinute(), Load: ratelimittest.Batch{Requests: 12}}, func(t *testing.T, f ratelimittest.Figures) {
			t.Helper()
			require.Equal(t, 10, f.Served)
			require.Equal(t, 2, f.Refused)
		}},
		{"start", ratelimittest.Scenario{Start: start, Load: ratelimittest.Batch{Requests: 1}}, func(t *testing.T, f ratelimittest.Figures) {
			t.Helper()
			require.True(t, f.Arrivals[0].Time.Equal(start))
		}},
		{"a start before that of a bubble", ratelimittest.Scenario{Start: time.Unix(0, 0), Load: ratelimittest.Batch{Requests: 1}}, func(t *testing.T, f ratelimittest.Figures) {
			t.Helper()
			require.True(t, f.Arrivals[0].Time.Equal(time.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC)))
		}},
		{"another server", ratelimittest.Scenario{Load: ratelimittest.Batch{Requests: 1}, Next: http.NotFoundHandler()}, func(t *testing.T, f ratelimittest.Figures) {
			t.Helper()
			require.Equal(t, 1, f.Made)
			require.Zero(t, f.Served)
			require.Equal(t, map[string]int{"404 Not Found": 1}, f.Failures())
		}},
	} {
		t.Run(row.name, func(t *testing.T) { row.check(t, ratelimittest.Run(t, row.scenario)) })
	}
}

// Timeout counts from each call, so calls that wait for the next window fail.
func TestRunWithTimeout(t *testing.T) {
	f := ratelimittest.Run(t, ratelimittest.Scenario{
		Limiter:   tenPerMinute(),
		NewClient: patient,
		Load:      open(15), // all at once
		Timeout:   10 * time.Second,
	})
	require.Equal(t, 15, f.Made)
	require.Equal(t, 10, f.Served)
	require.Equal(t, time.Minute, f.Took, "this client ignores its context")
	require.Len(t, f.Failures(), 1)
}

// A call may be any function that sends requests.
func TestRunOfAnSDK(t *testing.T) {
	broken := errors.New("broken")
	f := ratelimittest.Run(t, ratelimittest.Scenario{
		NewCall: func(client *http.Client) func(context.Context) error {
			var calls atomic.Int64
			return func(context.Context) error {
				resp, err := client.Head("http://api.test/")
				if err != nil {
					return err
				}
				if calls.Add(1) == 3 {
					return broken
				}
				return resp.Body.Close()
			}
		},
		Load:    ratelimittest.Batch{Requests: 4},
		Latency: time.Second,
	})
	require.Equal(t, 4, f.Made)
	require.Equal(t, 3, f.Served)
	require.Len(t, f.Arrivals, 4)
	require.Equal(t, map[string]int{"broken": 1}, f.Failures())
	require.Equal(t, 4*time.Second, f.Took)
	require.Zero(t, f.Median)
	require.Contains(t, f.String(), "1 × broken")
}

// Run works with a Request whose context comes from outside the bubble.
func TestRunWithAContextFromOutside(t *testing.T) {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://api.test/", http.NoBody)
	require.NoError(t, err)
	f := ratelimittest.Run(t, ratelimittest.Scenario{Request: req, Load: ratelimittest.Batch{Requests: 2}, Latency: time.Second})
	require.Equal(t, 2, f.Served)
	require.Equal(t, 2*time.Second, f.Took)
}

func TestRunEndsWithTheContextOfItsRequest(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://api.test/", http.NoBody)
	require.NoError(t, err)
	f := ratelimittest.Run(t, ratelimittest.Scenario{Request: req, Load: ratelimittest.Batch{Requests: 2}})
	require.Zero(t, f.Served)
	require.ErrorIs(t, f.Outcomes[0][1].Err, context.Canceled)
}
