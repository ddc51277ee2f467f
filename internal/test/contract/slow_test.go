package contract

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

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/limits"
)

// slowly returns a Cost that takes d for URLs with the query "slow".
func slowly(d time.Duration) func(*http.Request, limits.Unit) int64 {
	return func(req *http.Request, _ limits.Unit) int64 {
		if req.URL.RawQuery == "slow" {
			time.Sleep(d)
		}
		return -1
	}
}

// MaxWait counts from the call of RoundTrip, including slow functions of the caller's.
func TestMaxWaitHasWhatWasSlowBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		transport := &headway.Transport{
			MaxWait: 10 * time.Second, Cost: slowly(5 * time.Second),
			Base: kit.InTurn(kit.Status(200, "RateLimit", `"a";r=0;t=12`, "RateLimit-Policy", `"a";q=10;w=60`)),
		}
		_, err := transport.RoundTrip(kit.NewRequest(t, kit.URL))
		require.NoError(t, err)
		_, err = transport.RoundTrip(kit.NewRequest(t, kit.URL+"?slow"))
		require.ErrorIs(t, err, headway.ErrMaxWait)
		require.Equal(t, 5*time.Second, time.Since(begun))
	})
}

// The partition's timer is set by the current time, not by the time before a slow function of
// the caller's.
func TestSlowGetBodyMakesNothingLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		transport := &headway.Transport{Jitter: -1, Base: kit.InTurn(kit.Status(429, "Retry-After", "5"), kit.Status(200))}
		req := kit.NewRequest(t, kit.URL)
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

// A request that waits for the Ceiling is queued again when a hold begins. The hook is called
// first.
func TestSlowHookMakesNothingLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent time.Duration // of the request that was queued again
		begun := time.Now()
		transport := &headway.Transport{
			Jitter: -1, MaxRetries: -1, Ceiling: rate.NewLimiter(1, 1),
			Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
				if req.URL.RawQuery == "refused" {
					time.Sleep(500 * time.Millisecond)
					return kit.Respond(req, 429, "Retry-After", "5"), nil
				}
				sent = time.Since(begun)
				return kit.Respond(req, 200), nil
			}),
			Trace: &headway.Trace{Waiting: func(_ context.Context, i headway.WaitingInfo) {
				if i.Cause == headway.CauseHold {
					time.Sleep(3 * time.Second)
				}
			}},
		}
		var all sync.WaitGroup
		for _, query := range []string{"?refused", "?kept"} {
			all.Go(func() { _, _ = transport.RoundTrip(kit.NewRequest(t, kit.URL+query)) })
			time.Sleep(time.Millisecond)
		}
		all.Wait()
		require.Greater(t, sent, 5*time.Second)
		require.Less(t, sent, 7*time.Second)
	})
}
