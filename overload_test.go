package headway_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/ratelimittest"
)

// A busyServer serves so many requests at once and refuses others with 503 and
// Retry-After; its headers say nothing of that.
type busyServer struct {
	places  chan struct{}
	service time.Duration
}

func (s *busyServer) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	select {
	case s.places <- struct{}{}:
		defer func() { <-s.places }()
		time.Sleep(s.service)
	default:
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

// How many requests a server holds at once is learned from few refusals.
func TestHiddenConcurrencyLimit(t *testing.T) {
	const requests, places = 200, 8
	for _, latency := range []time.Duration{0, 20 * time.Millisecond, 200 * time.Millisecond} {
		for _, service := range []time.Duration{50 * time.Millisecond, 200 * time.Millisecond, time.Second, 5 * time.Second} {
			t.Run(fmt.Sprintf("service %v, latency %v", service, latency), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					server := &ratelimittest.Handler{Next: &busyServer{make(chan struct{}, places), service}}
					transport := &headway.Transport{Base: &ratelimittest.Transport{Handler: server, Latency: latency}}
					begun := time.Now()
					require.NoError(t, errors.Join(crowd(t.Context(), transport, requests)...))
					took := time.Since(begun)

					refused := 0
					for _, a := range server.Log.Arrivals() {
						if a.Status == http.StatusServiceUnavailable {
							refused++
						}
					}
					optimum := requests / places * (service + latency)
					t.Logf("refused %d, %.2f of the optimum", refused, took.Seconds()/optimum.Seconds())
					require.Equal(t, requests, len(server.Log.Arrivals())-refused, "all were served")
					require.LessOrEqual(t, refused, requests/2)
					require.LessOrEqual(t, took, 4*optimum)
				})
			})
		}
	}
}
