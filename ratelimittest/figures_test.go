package ratelimittest_test

import (
	"context"
	"math"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// getting returns a NewCall whose calls send n requests each, one after the other.
func getting(n int) func(*http.Client) func(context.Context) error {
	return func(client *http.Client) func(context.Context) error {
		return func(ctx context.Context) error {
			for range n {
				req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://api.test/", http.NoBody)
				if err != nil {
					return err
				}
				resp, err := client.Do(req)
				if err != nil {
					return err
				}
				if err := resp.Body.Close(); err != nil {
					return err
				}
			}
			return nil
		}
	}
}

// A half sends half of its Batch.
type half struct{ ratelimittest.Batch }

func (h half) Do(ctx context.Context, call func(context.Context) (int, error)) []ratelimittest.Outcome {
	return ratelimittest.Batch{Requests: h.Requests / 2}.Do(ctx, call)
}

// Slowdown compares with the optimum where that is known, and is +Inf otherwise, so that a check fails.
func TestSlowdown(t *testing.T) {
	ten := ratelimittest.Batch{Requests: 10}
	window := &ratelimittest.FixedWindow{Policy: ratelimittest.Per(10, time.Minute)}
	var calls atomic.Int64
	for _, row := range []struct {
		name     string
		scenario ratelimittest.Scenario
		want     float64
	}{
		{"a batch", ratelimittest.Scenario{Limiter: window, Load: ten, Latency: s}, 1},
		{"no limit", ratelimittest.Scenario{Load: ten, Latency: s}, 1},
		{"a slow handler", ratelimittest.Scenario{Limiter: window, Load: ten, Latency: s, Next: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			time.Sleep(3 * s)
		})}, 4},
		{"no time, but for a slow handler", ratelimittest.Scenario{Limiter: window, Load: ten, Next: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			time.Sleep(time.Hour)
		})}, math.Inf(1)},

		{"two requests for each call", ratelimittest.Scenario{Limiter: window, Load: ratelimittest.Batch{Requests: 5}, Latency: s, NewCall: getting(2)}, math.Inf(1)},
		{"different costs", ratelimittest.Scenario{Limiter: window, Load: ratelimittest.Batch{Requests: 3}, Latency: s, Cost: func(*http.Request) int64 {
			return calls.Add(1)
		}}, math.Inf(1)},
		{"half of a batch", ratelimittest.Scenario{Limiter: window, Load: half{ten}, Latency: s}, math.Inf(1)},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := ratelimittest.Run(t, row.scenario)
			if !math.IsInf(row.want, 1) {
				require.InDelta(t, row.want, f.Slowdown(), 1e-9)
				require.NotContains(t, f.String(), "not known")
				return
			}
			require.True(t, math.IsInf(f.Slowdown(), 1), "%v", f.Slowdown())
			require.Equal(t, f.Optimum < 0, row.name != "no time, but for a slow handler")
		})
	}
}

// Of 200 calls, 50 are served at once, 147 after a second, two after two minutes and one after three.
func TestFiguresOfDelays(t *testing.T) {
	var served atomic.Int64
	f := ratelimittest.Run(t, ratelimittest.Scenario{
		Load:    ratelimittest.Batch{Requests: 200, Workers: 200},
		Latency: time.Second,
		Next: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			switch i := served.Add(1); {
			case i == 1:
				time.Sleep(3 * time.Minute)
			case i <= 3:
				time.Sleep(2 * time.Minute)
			case i <= 150:
				time.Sleep(time.Second)
			}
		}),
	})
	require.Equal(t, 200, f.Served)
	require.Equal(t, time.Second, f.Median)
	require.Equal(t, 2*time.Minute, f.P99)
}
