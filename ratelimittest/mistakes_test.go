package ratelimittest_test

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// stubborn returns a call that resends at once until it succeeds, whatever the response. It gives up when the network fails,
// unless it is restless.
func stubborn(isRestless bool) func(*http.Client) func(context.Context) error {
	return func(client *http.Client) func(context.Context) error {
		return func(context.Context) error {
			for {
				resp, err := client.Post("http://api.test/", "text/plain", strings.NewReader("x"))
				switch {
				case err != nil && !isRestless:
					return err
				case err != nil:
					continue
				}
				_ = resp.Body.Close()
				if resp.StatusCode < http.StatusBadRequest {
					return nil
				}
			}
		}
	}
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

// An endless workload makes calls until its context is done.
type endless struct{}

func (endless) Do(ctx context.Context, call func(context.Context) (int, error)) []ratelimittest.Outcome {
	for ctx.Err() == nil {
		_, _ = call(ctx)
	}
	return nil
}

// Run fails a test whose Scenario is invalid, and names the field. It ends a test whose clients never stop, while time passes
// and in which no time passes, although neither Timeout nor Duration ever comes.
func TestRunFailsAndNamesTheMistake(t *testing.T) {
	const hasLine = "mistakes_test.go:" // the line that called Run, or that sends
	never := &ratelimittest.FixedWindow{Policy: ratelimittest.Per(1, 1000*time.Hour)}
	two := ratelimittest.Batch{Requests: 2, Workers: 2}
	for _, row := range []struct {
		name     string
		scenario ratelimittest.Scenario
		want     string
		panics   bool // on the client's goroutine
	}{
		{"no client", ratelimittest.Scenario{
			NewClient: func(http.RoundTripper) *http.Client { return nil },
		}, "Scenario.NewClient returned nil", false},
		{"a call that ignores its context", ratelimittest.Scenario{
			Limiter: never, NewCall: stubborn(false), Load: two, Duration: s, Latency: ms,
		}, "or after the end of the calls", false},
		{"a client that resends at once, and holds a lock", ratelimittest.Scenario{
			Limiter: never, NewCall: oneByOne(stubborn(true)), Load: two, Timeout: time.Minute, Duration: time.Hour,
		}, "more than 100,000 requests at one instant", true},
		{"a clock that has come to its end", ratelimittest.Scenario{
			Start: time.Date(2262, time.April, 11, 0, 0, 0, 0, time.UTC), Load: endless{}, Latency: time.Hour,
		}, "more than 100,000 requests at one instant", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			output, done := failsInSubprocess(t, func(t *testing.T) {
				t.Helper()
				ratelimittest.Run(t, row.scenario.Hastier())
			})
			if !done {
				require.Contains(t, output, row.want)
				require.Contains(t, output, hasLine)
				require.Equal(t, row.panics, strings.Contains(output, "panic: "), output)
			}
		})
	}
}

// subprocessEnv is set in the subprocess of failsInSubprocess.
const subprocessEnv = "RATELIMITTEST_APART"

// failsInSubprocess runs the test again in a subprocess, requires that it fails, and returns its output. In
// the subprocess itself it calls fail, and done is true.
func failsInSubprocess(t *testing.T, fail func(t *testing.T)) (output string, done bool) {
	t.Helper()
	if os.Getenv(subprocessEnv) != "" {
		fail(t)
		return "", true
	}
	program := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.timeout", "5m")
	program.Env = append(os.Environ(), subprocessEnv+"=1")
	printed, err := program.CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	return string(printed), false
}
