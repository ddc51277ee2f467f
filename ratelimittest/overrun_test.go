package ratelimittest_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// stubborn returns a call that resends refused requests at once, and gives up when the network fails.
func stubborn(client *http.Client) func(context.Context) error {
	return func(context.Context) error {
		for {
			resp, err := client.Get("http://api.test/")
			if err != nil {
				return err
			}
			_ = resp.Body.Close()
			if resp.StatusCode < http.StatusBadRequest {
				return nil
			}
		}
	}
}

// inTheBackground wraps newCall so that a call ends with its context and continues on another goroutine.
func inTheBackground(newCall func(*http.Client) func(context.Context) error) func(*http.Client) func(context.Context) error {
	return func(client *http.Client) func(context.Context) error {
		call := newCall(client)
		return func(ctx context.Context) error {
			go func() { _ = call(ctx) }()
			<-ctx.Done()
			return ctx.Err()
		}
	}
}

// Run ends a test whose clients never stop, also while time passes.
func TestRunEndsAfterTooManyLateRequests(t *testing.T) {
	never := &ratelimittest.FixedWindow{Policy: ratelimittest.Per(1, 1000*time.Hour)}
	two := ratelimittest.Batch{Requests: 2}
	for _, row := range []struct {
		name     string
		scenario ratelimittest.Scenario
	}{
		{"a call that ignores its context", ratelimittest.Scenario{
			Limiter: never, NewCall: stubborn, Load: two, Duration: time.Second, Latency: time.Millisecond,
		}},
		{"a call that continues after its end", ratelimittest.Scenario{
			Limiter: never, NewCall: inTheBackground(stubborn), Load: two, Timeout: time.Second, Latency: time.Millisecond,
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			output, done := failsInSubprocess(t, func(t *testing.T) {
				t.Helper()
				ratelimittest.Run(t, row.scenario.Hastier())
			})
			if !done {
				require.Contains(t, output, "or after the end of the calls")
				require.Contains(t, output, "overrun_test.go:", "the line that called Run")
				require.NotContains(t, output, "panic: ")
			}
		})
	}
}
