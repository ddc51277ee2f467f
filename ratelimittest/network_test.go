package ratelimittest_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// A restless client sends again at once, whatever becomes of it.
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

// An endless workload calls until its context is done.
type endless struct{}

func (endless) Do(ctx context.Context, call func(context.Context) (int, error)) []ratelimittest.Outcome {
	for ctx.Err() == nil {
		_, _ = call(ctx)
	}
	return nil
}

// Where no time passes, neither a deadline nor the Duration ends what goes on and on.
func TestRunEndsWhereTimeStandsStill(t *testing.T) {
	for _, row := range []struct {
		name     string
		scenario ratelimittest.Scenario
	}{
		{"a client that sends again at once", ratelimittest.Scenario{
			Limiter: tenPerMinute(), NewCall: restless, Load: ratelimittest.Batch{Requests: 20, Workers: 2},
			Timeout: time.Minute, Duration: time.Hour,
		}},
		{"a clock that has come to its end", ratelimittest.Scenario{
			Start: time.Date(2262, time.April, 11, 0, 0, 0, 0, time.UTC), Load: endless{}, Latency: time.Hour,
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			output, done := failsApart(t, func(t *testing.T) {
				t.Helper()
				ratelimittest.Run(t, row.scenario)
			})
			if !done {
				require.Contains(t, output, "more than 100,000 requests at one instant")
				require.Contains(t, output, "network_test.go:", "the line that called Run")
				require.NotContains(t, output, "panic")
			}
		})
	}
}
