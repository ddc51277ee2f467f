package ratelimittest_test

import (
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// read sends a request without a deadline, and reads the response.
func read(client *http.Client) error {
	resp, err := client.Get("http://api.test/")
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return err
}

// aside makes calls that return when their context is done, while the request and a second one continue.
func aside(done chan<- error) func(*http.Client) func(context.Context) error {
	return func(client *http.Client) func(context.Context) error {
		return func(ctx context.Context) error {
			go func() {
				if err := read(client); err != nil {
					done <- err
					return
				}
				done <- read(client)
			}()
			<-ctx.Done()
			return ctx.Err()
		}
	}
}

// Run waits for all traffic, whenever a client gives up. A request takes 2 s to the server, 5 s in the
// handler, 2 s back and 3 s for its body.
func TestRunWaitsForTraffic(t *testing.T) {
	for name, timeout := range map[string]time.Duration{
		"on the way there": time.Second, "in the handler": 4 * time.Second, "on the way back": 8 * time.Second, "in the body": 10 * time.Second,
	} {
		t.Run(name, func(t *testing.T) {
			done := make(chan error, 1)
			f := ratelimittest.Run(t, ratelimittest.Scenario{
				NewCall: aside(done), Load: ratelimittest.Batch{Requests: 1}, Timeout: timeout, Latency: 4 * time.Second,
				Next: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					time.Sleep(5 * time.Second)
					flush(w)
					time.Sleep(3 * time.Second)
					write(w, "late")
				}),
			})
			require.NoError(t, <-done)
			require.Equal(t, timeout, f.Took, "the calls have ended")
			require.Len(t, f.Arrivals, 2)
			require.Equal(t, 12*time.Second, f.Arrivals[1].Time.Sub(f.Arrivals[0].Time))
			require.Equal(t, http.StatusOK, f.Arrivals[1].Status)
		})
	}
}

// pinger sends requests until ended is closed.
func pinger(client *http.Client, ended <-chan struct{}) {
	for {
		select {
		case <-ended:
			return
		default:
			_ = read(client)
		}
	}
}

// Close need not wait for a goroutine that only waits for a response.
func TestRunOfAClientWhoseCloseOnlySignals(t *testing.T) {
	var ended chan struct{}
	f := ratelimittest.Run(t, ratelimittest.Scenario{
		NewCall: func(client *http.Client) func(context.Context) error {
			ended = make(chan struct{})
			go pinger(client, ended)
			return getting(1)(client)
		},
		Close:   func() { close(ended) },
		Load:    ratelimittest.Schedule{1500 * time.Millisecond},
		Latency: time.Second,
	})
	require.Equal(t, 1, f.Served)
	require.Len(t, f.Arrivals, 4, "pings at 0, 1 and 2 s")
}

// If a later client cannot be made, Run still calls Close for the earlier one.
func TestRunClosesAfterAFailedSetUp(t *testing.T) {
	for _, row := range []struct {
		name string
		fail func(t *testing.T, made int) *http.Client
		want string
	}{
		{"a client that is nil", func(*testing.T, int) *http.Client { return nil }, "Scenario.NewClient returned nil"},
		{"a set-up that ends the test", func(t *testing.T, _ int) *http.Client {
			t.Helper()
			t.Fatal("cannot make a client")
			return nil
		}, "cannot make a client"},
	} {
		t.Run(row.name, func(t *testing.T) {
			output, done := failsInSubprocess(t, func(t *testing.T) {
				t.Helper()
				ended := make([]chan struct{}, 0, 1)
				ratelimittest.Run(t, ratelimittest.Scenario{
					Clients: 2,
					NewClient: func(base http.RoundTripper) *http.Client {
						if len(ended) > 0 {
							return row.fail(t, len(ended))
						}
						ended = append(ended, make(chan struct{}))
						client := &http.Client{Transport: base}
						go pinger(client, ended[0])
						return client
					},
					Close:   func() { close(ended[0]) },
					Latency: time.Second,
				})
			})
			if !done {
				require.Contains(t, output, row.want)
				require.Contains(t, output, "--- FAIL")
				require.NotContains(t, output, "panic: ")
			}
		})
	}
}
