package ratelimittest_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// restless returns a call that resends at once, whatever the response or error, until it succeeds.
func restless(client *http.Client) func(context.Context) error {
	return func(context.Context) error {
		for {
			resp, err := client.Post("http://api.test/", "text/plain", strings.NewReader("x"))
			if err == nil {
				_ = resp.Body.Close()
			}
			if err == nil && resp.StatusCode < http.StatusBadRequest {
				return nil
			}
		}
	}
}

// An endless workload makes calls until its context is done.
type endless struct{}

func (endless) Do(ctx context.Context, call func(context.Context) (int, error)) []ratelimittest.Outcome {
	for ctx.Err() == nil {
		_, _ = call(ctx)
	}
	return nil
}

// oneByOne wraps newCall so that a call holds a lock until it ends.
func oneByOne(newCall func(*http.Client) func(context.Context) error) func(*http.Client) func(context.Context) error {
	return func(client *http.Client) func(context.Context) error {
		var mu sync.Mutex
		call := newCall(client)
		return func(ctx context.Context) error {
			mu.Lock()
			err := call(ctx)
			mu.Unlock()
			return err
		}
	}
}

// Run ends a test in which no time passes, although neither Timeout nor Duration ever comes.
func TestRunEndsWhenTimeStandsStill(t *testing.T) {
	for _, row := range []struct {
		name     string
		scenario ratelimittest.Scenario
		panics   bool // on the client's goroutine
	}{
		{"a client that resends at once, and holds a lock", ratelimittest.Scenario{
			Limiter: tenPerMinute(), NewCall: oneByOne(restless), Load: ratelimittest.Batch{Requests: 20, Workers: 2},
			Timeout: time.Minute, Duration: time.Hour,
		}, true},
		{"a clock that has come to its end", ratelimittest.Scenario{
			Start: time.Date(2262, time.April, 11, 0, 0, 0, 0, time.UTC), Load: endless{}, Latency: time.Hour,
		}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			output, done := failsInSubprocess(t, func(t *testing.T) {
				t.Helper()
				ratelimittest.Run(t, row.scenario.Hastier())
			})
			if !done {
				require.Contains(t, output, "more than 100,000 requests at one instant")
				require.Contains(t, output, "network_test.go:", "the line that called Run, or that sends")
				require.Equal(t, row.panics, strings.Contains(output, "panic: "), output)
			}
		})
	}
}
