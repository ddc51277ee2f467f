package pacing

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/ratelimittest"
)

// headway learns a limit on concurrent requests from few refusals, even if the server refuses with 429, which usually means
// a rate limit.
func TestHiddenConcurrencyLimitOf429s(t *testing.T) {
	const requests, places = 1000, 8
	for _, retryAfter := range []time.Duration{0, time.Second} {
		for _, workers := range []int{9, 12, 32, 200} {
			t.Run(fmt.Sprintf("%d workers, Retry-After %v", workers, retryAfter), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					const service, latency = 50 * time.Millisecond, 10 * time.Millisecond
					limiter := &ratelimittest.Concurrency{Policy: ratelimittest.Policy{Quota: places}}
					limiter.RetryAfter = retryAfter
					server := &ratelimittest.Handler{Limiter: limiter, Dialect: ratelimittest.Silent}
					server.Next = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(service) })
					client := &http.Client{Transport: kit.Seeded(t, &headway.Transport{Base: &ratelimittest.Transport{Handler: server, Latency: latency}})}
					begun := time.Now()
					ratelimittest.Batch{Requests: requests, Workers: workers}.Send(client, kit.NewRequest(t, kit.URL))
					took := time.Since(begun)

					refused := len(server.Arrivals().Refused())
					optimum := requests / places * (service + latency)
					t.Logf("refused %d, %.2f of the optimum", refused, took.Seconds()/optimum.Seconds())
					require.Len(t, server.Arrivals().Allowed(), requests, "all were served")
					require.LessOrEqual(t, refused, requests/100)
					require.LessOrEqual(t, took, 6*optimum, "mostly 1.3 to 3: a pace has to be found beside the places")
				})
			})
		}
	}
}

// headway learns a limit on concurrent requests from few refusals.
func TestHiddenConcurrencyLimit(t *testing.T) {
	const requests, places = 200, 8
	for _, latency := range []time.Duration{0, 20 * time.Millisecond, 200 * time.Millisecond} {
		for _, service := range []time.Duration{50 * time.Millisecond, 200 * time.Millisecond, time.Second, 5 * time.Second} {
			t.Run(fmt.Sprintf("service %v, latency %v", service, latency), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					limiter := &ratelimittest.Concurrency{Policy: ratelimittest.Policy{Quota: places}}
					limiter.RetryAfter = time.Second
					server := &ratelimittest.Handler{
						Limiter: limiter,
						Dialect: ratelimittest.Silent,
						Client:  func(*http.Request) string { return "" },
						Refuse:  ratelimittest.Respond(http.StatusServiceUnavailable, "rate limit reached"),
						Next:    http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(service) }),
					}
					transport := kit.Seeded(t, &headway.Transport{Base: &ratelimittest.Transport{Handler: server, Latency: latency}})
					begun := time.Now()
					require.NoError(t, errors.Join(kit.Crowd(t.Context(), transport, requests)...))
					took := time.Since(begun)

					arrivals := server.Arrivals()
					refused := len(arrivals.Refused())
					optimum := requests / places * (service + latency)
					t.Logf("refused %d, %.2f of the optimum", refused, took.Seconds()/optimum.Seconds())
					require.Len(t, arrivals.Allowed(), requests, "all were served")
					require.LessOrEqual(t, refused, requests/2)
					require.LessOrEqual(t, took, 5*optimum)
				})
			})
		}
	}
}
