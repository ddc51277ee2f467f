package waits

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/ratelimittest"
)

// attempts has so many workers make requests one after the other, n in all, each with that timeout. It returns how many
// were sent, and the errors of the others.
func attempts(t *testing.T, transport *headway.Transport, url string, workers, n int, timeout time.Duration) (sent int, errs []error) {
	t.Helper()
	var mu sync.Mutex
	var begun atomic.Int64
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for begun.Add(1) <= int64(n) {
				ctx, cancel := context.WithTimeout(t.Context(), timeout)
				err := kit.Fetch(ctx, transport, url)
				cancel()
				mu.Lock()
				if sent++; err != nil {
					sent--
					errs = append(errs, err)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return sent, errs
}

// Workers that call again while responses are on the way get as many requests sent as a crowd that calls once. The others
// are refused for the pace or the quota, and never for a Ceiling that is not there.
func TestRefusalsOfWorkers(t *testing.T) {
	const requests = 50
	for _, test := range []struct {
		pacing headway.Pacing
		quota  int64 // per hour
		sent   int   // of the requests, at least
	}{
		{headway.PaceEvenly, 20, 6},
		{headway.PaceEvenly, 500, requests},
		{headway.PaceMeasured, 20, 12},
		{headway.PaceMeasured, 60, 37},
	} {
		for name, limiter := range map[string]func() ratelimittest.Limiter{
			"window": func() ratelimittest.Limiter {
				return &ratelimittest.FixedWindow{Policy: ratelimittest.Per(test.quota, time.Hour)}
			},
			"bucket": func() ratelimittest.Limiter {
				return &ratelimittest.TokenBucket{Policy: ratelimittest.Per(test.quota, time.Hour)}
			},
			"counter": func() ratelimittest.Limiter {
				return &ratelimittest.SlidingCounter{Policy: ratelimittest.Per(test.quota, time.Hour)}
			},
			"log": func() ratelimittest.Limiter {
				return &ratelimittest.SlidingLog{Policy: ratelimittest.Per(test.quota, time.Hour)}
			},
		} {
			for _, workers := range []int{5, 10, requests} {
				t.Run(fmt.Sprintf("pacing %d, %s of %d, %d workers", test.pacing, name, test.quota, workers), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						server := &ratelimittest.Handler{Limiter: limiter(), Dialect: ratelimittest.Draft10}
						transport := kit.Seeded(t, &headway.Transport{Pacing: test.pacing, Base: &ratelimittest.Transport{Handler: server, Latency: 50 * time.Millisecond}})
						sent, errs := attempts(t, transport, kit.URL, workers, requests, 10*time.Second)
						require.GreaterOrEqual(t, sent, test.sent, errs)
						for _, err := range errs {
							var refused *headway.LimitError
							require.ErrorAs(t, err, &refused)
							require.Contains(t, []headway.Cause{headway.CausePace, headway.CauseQuota, headway.CauseQueue}, refused.Cause)
							require.Greater(t, refused.Wait, 9*time.Second)
							require.NotContains(t, err.Error(), "Ceiling")
						}
					})
				})
			}
		}
	}
}

// No request is refused for a wait that a response in flight may end.
func TestResponsesInFlightMayEndAWait(t *testing.T) {
	const latency = 100 * time.Millisecond
	ok := kit.Status(http.StatusOK)
	for _, test := range []struct {
		name    string
		timeout time.Duration
		atOnce  int
		prepare int // requests at once before, whose responses do not matter
		pause   time.Duration
		path    string
		answer  func(n int64, req *http.Request) *http.Response
	}{
		{"the first response", 150 * time.Millisecond, 2, 0, 0, "", func(_ int64, req *http.Request) *http.Response { return ok(req) }},
		{"places that a 503 has cut, with a pace", 3 * time.Second, 8, 10, 10 * time.Second, "", func(n int64, req *http.Request) *http.Response {
			status := http.StatusOK
			fields := []string{"RateLimit-Policy", `"a";q=1000;w=10`, "RateLimit", `"a";r=900;t=10`}
			if n == 10 {
				status, fields = http.StatusServiceUnavailable, append(fields, "Retry-After", "5")
			}
			return kit.Respond(req, status, fields...)
		}},
		{"an advertised number of places", time.Second, 6, 1, 0, "", func(_ int64, req *http.Request) *http.Response {
			return kit.Respond(req, http.StatusOK, "RateLimit-Policy", `"c";q=2;qu="concurrent-requests"`, "RateLimit", `"c";r=1`)
		}},
		{"a cost that is not known yet", 150 * time.Millisecond, 2, 1, time.Second, "", func(n int64, req *http.Request) *http.Response {
			return kit.Respond(req, http.StatusOK, "X-RateLimit-Limit-Tokens", "100000", "X-RateLimit-Remaining-Tokens", fmt.Sprint(100000-n*10), "X-RateLimit-Reset-Tokens", "60")
		}},
		{"limits of a new route", 150 * time.Millisecond, 2, 1, time.Second, "/new", func(_ int64, req *http.Request) *http.Response {
			if strings.HasSuffix(req.URL.Path, "new") {
				return kit.Respond(req, http.StatusOK, "RateLimit-Policy", `"b";q=1000;w=60`, "RateLimit", `"b";r=900;t=60`)
			}
			return kit.UsedUp()(req)
		}},
		{"a second look", 10 * time.Second, 2, 1, 90 * time.Second, "", func(n int64, req *http.Request) *http.Response {
			left := `"a";r=0;t=7200`
			if n > 1 {
				left = `"a";r=900;t=7200`
			}
			return kit.Respond(req, http.StatusOK, "RateLimit-Policy", `"a";q=1000;w=7200`, "RateLimit", left)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var n atomic.Int64
				transport := kit.Seeded(t, &headway.Transport{MaxRetries: -1, Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
					nth := n.Add(1)
					time.Sleep(latency)
					return test.answer(nth, req), nil
				})})
				if test.prepare > 0 {
					_, errs := attempts(t, transport, kit.URL, test.prepare, test.prepare, time.Minute)
					require.Empty(t, errs)
					time.Sleep(test.pause)
				}
				_, errs := attempts(t, transport, kit.URL+test.path, test.atOnce, test.atOnce, test.timeout)
				require.Empty(t, errs)
			})
		})
	}
}
