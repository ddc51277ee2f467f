package refusals

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

// A function of the caller that takes half a minute does not shorten a hold that begins meanwhile.
func TestSlowFunctionsShortenNoHold(t *testing.T) {
	const slow = 30 * time.Second
	for _, test := range []struct {
		name      string
		transport *headway.Transport
		body      func() (io.ReadCloser, error) // GetBody of the slow request
	}{
		{"Cost", &headway.Transport{MaxRetries: -1, Cost: func(req *http.Request, _ limits.Unit) int64 {
			if req.URL.Path == "/slow" {
				time.Sleep(slow)
			}
			return 1
		}}, nil},
		{"GetBody", &headway.Transport{}, func() (io.ReadCloser, error) {
			time.Sleep(slow)
			return http.NoBody, nil
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				var refusedAt, sentAt time.Time // the first sending after the refusal
				test.transport.Base = kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
					mu.Lock()
					defer mu.Unlock()
					switch {
					case req.URL.Path == "/slow" && refusedAt.IsZero():
						return kit.Respond(req, http.StatusTooManyRequests, "Retry-After", "1"), nil
					case req.URL.Path == "/refused" && refusedAt.IsZero():
						refusedAt = time.Now()
						return kit.Respond(req, http.StatusTooManyRequests, "Retry-After", "60"), nil
					case !refusedAt.IsZero() && sentAt.IsZero():
						sentAt = time.Now()
					}
					return kit.Respond(req, http.StatusOK), nil
				})
				get := func(path string, body func() (io.ReadCloser, error)) {
					req := kit.NewRequest(t, kit.Origin+path)
					if req.GetBody = body; body != nil {
						req.Method, req.Body = http.MethodPost, io.NopCloser(strings.NewReader("text"))
					}
					resp, err := test.transport.RoundTrip(req)
					require.NoError(t, err)
					require.NoError(t, resp.Body.Close())
				}
				get("/first", nil)
				var all sync.WaitGroup
				all.Go(func() { get("/slow", test.body) })
				time.Sleep(29 * time.Second)
				all.Go(func() { get("/refused", nil) })
				time.Sleep(2 * time.Second)
				all.Go(func() { get("/last", nil) })
				all.Wait()
				require.GreaterOrEqual(t, sentAt.Sub(refusedAt), time.Minute)
			})
		})
	}
}
