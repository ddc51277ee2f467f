package contract

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

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

// put returns a request with a body that takes d to be made again.
func put(t *testing.T, url string, d time.Duration) *http.Request {
	t.Helper()
	req := kit.NewRequest(t, url)
	req.Method, req.Body = http.MethodPut, io.NopCloser(strings.NewReader("payload"))
	req.GetBody = func() (io.ReadCloser, error) {
		time.Sleep(d)
		return io.NopCloser(strings.NewReader("payload")), nil
	}
	return req
}

// MaxWait counts from the call of RoundTrip, including slow functions of the caller's.
func TestMaxWaitHasWhatWasSlowBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		transport := &headway.Transport{
			MaxWait: 10 * time.Second, Cost: slowly(5 * time.Second),
			Base: kit.InTurn(kit.Status(200, "RateLimit", `"a";r=0;t=12`, "RateLimit-Policy", `"a";q=10;w=60`)),
		}
		kit.Prime(t, transport)
		require.ErrorIs(t, kit.Fetch(t.Context(), transport, kit.URL+"?slow"), headway.ErrMaxWait)
		require.Equal(t, 5*time.Second, time.Since(begun))
	})
}

// A request is sent again at the time that was told, although its body takes some of that time.
func TestSlowGetBodyMakesNothingLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		transport := &headway.Transport{Jitter: -1, Base: kit.InTurn(kit.Status(429, "Retry-After", "5"), kit.Status(200))}
		resp, err := transport.RoundTrip(put(t, kit.URL, 3*time.Second))
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, resp.StatusCode)
		require.Less(t, time.Since(begun), 6*time.Second)
	})
}

// A function that takes half a minute does not shorten a hold that begins meanwhile, neither for its request nor for a later one.
func TestSlowFunctionsShortenNoHold(t *testing.T) {
	const slow = 30 * time.Second
	for name, transport := range map[string]*headway.Transport{
		"Cost":    {MaxRetries: -1, Cost: slowly(slow)},
		"GetBody": {},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				var refusedAt, sentAt time.Time // the first sending after the refusal
				transport.Base = kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
					mu.Lock()
					defer mu.Unlock()
					switch {
					case req.URL.RawQuery == "slow" && refusedAt.IsZero():
						return kit.Respond(req, http.StatusTooManyRequests, "Retry-After", "1"), nil
					case req.URL.RawQuery == "refused" && refusedAt.IsZero():
						refusedAt = time.Now()
						return kit.Respond(req, http.StatusTooManyRequests, "Retry-After", "60"), nil
					case !refusedAt.IsZero() && sentAt.IsZero():
						sentAt = time.Now()
					}
					return kit.Respond(req, http.StatusOK), nil
				})
				kit.Prime(t, transport)
				var all sync.WaitGroup
				all.Go(func() { _, _ = transport.RoundTrip(put(t, kit.URL+"?slow", slow)) })
				time.Sleep(29 * time.Second)
				all.Go(func() { _ = kit.Fetch(t.Context(), transport, kit.URL+"?refused") })
				time.Sleep(2 * time.Second)
				all.Go(func() { kit.Prime(t, transport) })
				all.Wait()
				require.GreaterOrEqual(t, sentAt.Sub(refusedAt), time.Minute)
			})
		})
	}
}
