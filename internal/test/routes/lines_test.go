package routes

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/ratelimittest"
)

func linearOf(name string, perMinute int64) ratelimittest.Limiter {
	return &ratelimittest.Linear{Policy: ratelimittest.Policy{Name: name, Quota: perMinute, Window: time.Minute}}
}

// keepBusy sends requests for a path with several workers, until ctx ends.
func (s *routedServer) keepBusy(ctx context.Context, t *testing.T, path string, workers int) {
	t.Helper()
	for range workers {
		req := newRoutedRequest(t, http.MethodGet, path).WithContext(ctx)
		go func() {
			for ctx.Err() == nil {
				resp, err := s.client.Do(req)
				if err != nil {
					return
				}
				_ = resp.Body.Close()
			}
		}()
	}
}

// A route that uses two limits is not starved by routes that use one of them each.
func TestRouteOfTwoLimitsIsNotStarved(t *testing.T) {
	for _, row := range []struct {
		core, search int64 // per minute
		most         time.Duration
	}{
		{60, 60, 10 * time.Second},
		{60, 6, 80 * time.Second},
	} {
		t.Run(fmt.Sprintf("%d and %d", row.core, row.search), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				core, search := linearOf("core", row.core), linearOf("search", row.search)
				s := newRoutedServer(t, core, search)
				s.mux.Handle("/both/", &ratelimittest.Handler{Limiter: ratelimittest.All(core, search), Dialect: ratelimittest.Draft10})
				for _, path := range []string{"/users", "/search/code", "/both/"} {
					s.get(t, path)
				}
				s.keepBusy(t.Context(), t, "/users", 4)
				s.keepBusy(t.Context(), t, "/search/code", 4)
				time.Sleep(2 * time.Minute)
				for range 5 {
					require.LessOrEqual(t, s.get(t, "/both/"), row.most)
				}
			})
		})
	}
}

// Each route gets the turn of the oldest, even if other routes send far more requests.
func TestEveryRouteHasTheTurnOfTheOldest(t *testing.T) {
	for _, other := range []int64{60, 420, 900} {
		if kit.Raced && other > 60 {
			continue // it is the same with fewer requests
		}
		t.Run(fmt.Sprint(other), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newRoutedServer(t, linearOf("core", other), linearOf("search", 60))
				s.get(t, "/users")
				s.get(t, "/search/code")
				s.keepBusy(headway.WithPriority(t.Context(), 1), t, "/users", 10)
				s.keepBusy(headway.WithPriority(t.Context(), 1), t, "/search/code", 10)
				time.Sleep(3 * time.Minute)
				for range 5 {
					require.LessOrEqual(t, s.get(t, "/search/code"), 20*time.Second, "ten before it, and its turn")
				}
			})
		})
	}
}

// Requests of two routes that wait for the first response get their own limits, whichever route the response
// belongs to.
func TestColdStartOfTwoRoutes(t *testing.T) {
	for _, first := range []string{"/users", "/search/code"} {
		t.Run(first, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newRoutedServer(t, window("core", 6000, time.Minute), window("search", 10, time.Hour))
				s.client.Transport = kit.Seeded(t, &headway.Transport{Base: &ratelimittest.Transport{Handler: s.mux, Latency: routedLatency}})
				var core sync.WaitGroup
				core.Go(func() { s.get(t, first) })
				synctest.Wait()
				for range 100 {
					core.Go(func() { require.LessOrEqual(t, s.get(t, "/users"), 2*time.Second) })
				}
				s.keepBusy(t.Context(), t, "/search/code", 100)
				core.Wait()
				require.Empty(t, s.core.Arrivals().Refused())
				require.LessOrEqual(t, len(s.search.Arrivals().Refused()), 1)
			})
		})
	}
}

// Waiters of a new route do not wait behind all waiters of other routes.
func TestUnseenRouteDoesNotWaitForAllOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newRoutedServer(t, linearOf("core", 600), linearOf("search", 60))
		s.get(t, "/search/code")
		s.keepBusy(t.Context(), t, "/search/code", 3000)
		synctest.Wait()
		require.LessOrEqual(t, s.get(t, "/users"), 10*time.Second)
	})
}
