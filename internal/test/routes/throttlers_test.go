package routes

import (
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/sim"
	"github.com/headway-go/headway/ratelimittest"
)

// A refusal by a named throttler has a Retry-After-<name>. It holds the requests of that throttler for that time,
// and no others.
func TestRefusedThrottlerHoldsNothingElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := window("long", 600, time.Minute)
		s := newRoutedServer(t, long, ratelimittest.All(long, window("short", 10, 5*time.Minute)))
		for _, h := range []*ratelimittest.Handler{s.core, s.search} {
			h.Dialect, h.RetryAfter = sim.Throttlers, ratelimittest.Silent
		}
		s.get(t, "/users/octocat")
		s.get(t, "/search/code")
		others := &http.Client{Transport: &ratelimittest.Transport{Handler: s.mux}} // with the same quota
		ratelimittest.Batch{Requests: 9}.Send(others, newRoutedRequest(t, http.MethodGet, "/search/code"))

		begun := time.Now()
		var held sync.WaitGroup
		held.Go(func() { // to the end of the window, and at most an interval longer
			took := s.get(t, "/search/code")
			require.Greater(t, took, 290*time.Second)
			require.Less(t, took, 332*time.Second)
		})
		time.Sleep(time.Second)
		require.Len(t, s.search.Arrivals().Refused(), 1, "and it waits to be sent again")
		for range 10 {
			require.Equal(t, routedLatency, s.get(t, "/users/octocat"))
		}
		require.Less(t, time.Since(begun), 2*time.Second)
		held.Wait()
		require.Len(t, s.search.Arrivals().Refused(), 1, "it was sent again once, and served")
		require.Empty(t, s.core.Arrivals().Refused())
	})
}
