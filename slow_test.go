package headway

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"
)

// slowly returns a PartitionKey that takes d for URLs with the query "slow".
func slowly(d time.Duration) func(*http.Request) []byte {
	return func(req *http.Request) []byte {
		if req.URL.RawQuery == "slow" {
			time.Sleep(d)
		}
		return nil
	}
}

// What comes between a request's call and its turn at the partition, be it a function of
// the caller's that takes its time, does not make it wait for those that were quicker.
func TestSlowToThePartition(t *testing.T) {
	for name, shadow := range map[string]bool{"paced": false, "in a shadow": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				waits := 0
				transport := &Transport{
					Shadow: shadow, Base: inTurn(status(200)), PartitionKey: slowly(time.Second),
					Trace: &Trace{Waiting: func(context.Context, WaitingInfo) { waits++ }},
				}
				var all sync.WaitGroup
				for _, query := range []string{"?slow", "?quick"} {
					all.Go(func() { _, _ = transport.RoundTrip(with(t, testURL+query)) })
					time.Sleep(500 * time.Millisecond)
				}
				all.Wait()
				require.Zero(t, waits)
			})
		})
	}
}

// MaxWait counts from the call of RoundTrip, whatever takes the time.
func TestMaxWaitHasWhatWasSlowBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		transport := &Transport{
			MaxWait: 10 * time.Second, PartitionKey: slowly(5 * time.Second),
			Base: inTurn(status(200, "RateLimit", `"a";r=0;t=12`, "RateLimit-Policy", `"a";q=10;w=60`)),
		}
		_, err := transport.RoundTrip(with(t, testURL))
		require.NoError(t, err)
		_, err = transport.RoundTrip(with(t, testURL+"?slow"))
		require.ErrorIs(t, err, ErrMaxWait)
		require.Equal(t, 5*time.Second, time.Since(begun))
	})
}

// The partition's timer is set by the time that it is, not by the time that it was before
// something of the caller's took so long.
func TestSlowGetBodyMakesNothingLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		transport := &Transport{Jitter: -1, Base: inTurn(status(429, "Retry-After", "5"), status(200))}
		req := newRequest(t, testURL)
		req.Method, req.Body = http.MethodPut, io.NopCloser(strings.NewReader("payload"))
		req.GetBody = func() (io.ReadCloser, error) {
			time.Sleep(3 * time.Second)
			return io.NopCloser(strings.NewReader("payload")), nil
		}
		resp, err := transport.RoundTrip(req)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, resp.StatusCode)
		require.Less(t, time.Since(begun), 6*time.Second)
	})
}

// A request that the Ceiling keeps is put back when a hold is set meanwhile, and a hook is
// told so first.
func TestSlowHookMakesNothingLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent time.Duration // of the request that was put back
		begun := time.Now()
		transport := &Transport{
			Jitter: -1, MaxRetries: -1, Ceiling: rate.NewLimiter(1, 1),
			Base: baseFunc(func(req *http.Request) (*http.Response, error) {
				if req.URL.RawQuery == "refused" {
					time.Sleep(500 * time.Millisecond)
					return respond(req, 429, "Retry-After", "5"), nil
				}
				sent = time.Since(begun)
				return respond(req, 200), nil
			}),
			Trace: &Trace{Waiting: func(_ context.Context, i WaitingInfo) {
				if i.Cause == CauseHold {
					time.Sleep(3 * time.Second)
				}
			}},
		}
		var all sync.WaitGroup
		for _, query := range []string{"?refused", "?kept"} {
			all.Go(func() { _, _ = transport.RoundTrip(with(t, testURL+query)) })
			time.Sleep(time.Millisecond)
		}
		all.Wait()
		require.Greater(t, sent, 5*time.Second)
		require.Less(t, sent, 7*time.Second)
	})
}
