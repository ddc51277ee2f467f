package routes

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/internal/test/sim"
	"github.com/headway-go/headway/ratelimittest"
)

// A routedServer has a limit for searches and one for all other requests. Each response reports the limit
// of its route only.
type routedServer struct {
	core, search *ratelimittest.Handler
	mux          *http.ServeMux
	client       *http.Client
}

const routedLatency = 50 * time.Millisecond

func newRoutedServer(t *testing.T, core, search ratelimittest.Limiter) *routedServer {
	t.Helper()
	s := &routedServer{
		core:   &ratelimittest.Handler{Limiter: core, Dialect: ratelimittest.Draft10},
		search: &ratelimittest.Handler{Limiter: search, Dialect: ratelimittest.Draft10},
		mux:    http.NewServeMux(),
	}
	s.mux.Handle("/", s.core)
	s.mux.Handle("/search/", s.search)
	s.client = &http.Client{Transport: kit.Seeded(t, &headway.Transport{
		Base:    &ratelimittest.Transport{Handler: s.mux, Latency: routedLatency},
		MaxWait: -1,
	})}
	return s
}

// window returns a fixed window with that name.
func window(name string, quota int64, length time.Duration) ratelimittest.Limiter {
	return &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Name: name, Quota: quota, Window: length}}
}

// get sends a request and returns how long it took.
func (s *routedServer) get(t *testing.T, path string) time.Duration {
	t.Helper()
	return s.do(t, newRoutedRequest(t, http.MethodGet, path))
}

func (s *routedServer) do(t *testing.T, req *http.Request) time.Duration {
	t.Helper()
	begun := time.Now()
	resp, err := s.client.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return time.Since(begun)
}

func newRoutedRequest(t *testing.T, method, path string) *http.Request {
	t.Helper()
	req := kit.NewRequest(t, kit.Origin+path)
	req.Method = method
	return req
}

// exhaustSearch uses up the quota for searches, mostly by another client. It leaves waiters in the queue
// until the test ends.
func (s *routedServer) exhaustSearch(t *testing.T, waiters int) {
	t.Helper()
	others := &http.Client{Transport: &ratelimittest.Transport{Handler: s.mux}}
	ratelimittest.Batch{Requests: 9}.Send(others, newRoutedRequest(t, http.MethodGet, "/search/code"))
	require.Equal(t, routedLatency, s.get(t, "/search/code"), "the last one")
	for range waiters {
		go func() {
			resp, err := s.client.Do(newRoutedRequest(t, http.MethodGet, "/search/code"))
			if err == nil {
				_ = resp.Body.Close()
			}
		}()
	}
	synctest.Wait()
}

// Waiting searches do not delay requests with another limit, once both limits are known. Both quotas are used
// completely.
func TestExhaustedSearchDoesNotDelayCore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newRoutedServer(t, window("core", 600, time.Minute), window("search", 10, time.Hour))
		s.get(t, "/users/octocat")
		s.exhaustSearch(t, 20)
		for range 100 {
			time.Sleep(200 * time.Millisecond) // half of core's rate
			require.Equal(t, routedLatency, s.get(t, "/users/octocat"))
		}
		begun := time.Now()
		ratelimittest.Batch{Requests: 1200, Workers: 16}.Send(s.client, newRoutedRequest(t, http.MethodGet, "/users/octocat"))
		require.Less(t, time.Since(begun), 2*time.Minute+10*time.Second, "two windows, and a part of another")
		require.Empty(t, s.core.Arrivals().Refused())
		require.Empty(t, s.search.Arrivals().Refused())
		require.Len(t, s.search.Arrivals(), 10)
	})
}

// A refusal that reports a used-up limit holds only the requests that use the limit, whether its reset or
// the Retry-After is later. A named throttler says Retry-After-<name>.
func TestRefusedSearchHoldsNothingElse(t *testing.T) {
	for _, row := range []struct {
		name                string
		search              func(core, search ratelimittest.Limiter) ratelimittest.Limiter
		dialect, retryAfter ratelimittest.Dialect
	}{
		{"a limit of its own", func(_, search ratelimittest.Limiter) ratelimittest.Limiter { return search }, ratelimittest.Draft10, nil},
		{"a throttler beside one of all", func(core, search ratelimittest.Limiter) ratelimittest.Limiter {
			return ratelimittest.All(core, search)
		}, sim.Throttlers, ratelimittest.Silent},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				core, search := window("core", 600, time.Minute), window("search", 10, 5*time.Minute)
				s := newRoutedServer(t, core, row.search(core, search))
				for _, h := range []*ratelimittest.Handler{s.core, s.search} {
					h.Dialect, h.RetryAfter = row.dialect, row.retryAfter
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
		})
	}
}

// Routes that report a limit of the same name share its state.
func TestRoutesShareALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := window("all", 300, time.Minute)
		s := newRoutedServer(t, all, ratelimittest.All(all, window("search", 60, time.Minute)))
		var both sync.WaitGroup
		begun := time.Now()
		both.Go(func() {
			ratelimittest.Batch{Requests: 120, Workers: 8}.Send(s.client, newRoutedRequest(t, http.MethodGet, "/search/code"))
		})
		both.Go(func() {
			ratelimittest.Batch{Requests: 600, Workers: 8}.Send(s.client, newRoutedRequest(t, http.MethodGet, "/users/octocat"))
		})
		both.Wait()
		require.Empty(t, s.core.Arrivals().Refused())
		require.Empty(t, s.search.Arrivals().Refused())
		require.Less(t, time.Since(begun), 3*time.Minute, "720 requests at 300 per minute")
	})
}

// A new route obeys all known limits. Its first request goes early and finds out whether they apply. No other
// goes once they are known to apply.
func TestFirstOfANewRouteGoesEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newRoutedServer(t, window("core", 600, time.Minute), window("search", 10, time.Hour))
		s.exhaustSearch(t, 1)
		require.Equal(t, routedLatency, s.get(t, "/users/octocat"), "the first goes at once")
		require.LessOrEqual(t, s.get(t, "/orgs/octocats"), time.Second, "the next soon")

		short := kit.Within(t, time.Minute)
		for range 2 { // the route turns out to share the limit of searches
			resp, err := s.client.Do(newRoutedRequest(t, http.MethodGet, "/search/users").WithContext(short))
			if err == nil {
				_ = resp.Body.Close()
			}
		}
		require.Len(t, s.search.Arrivals().Refused(), 1)
		require.LessOrEqual(t, s.get(t, "/repos"), 3*time.Second, "the next new route goes a little later")
	})
}

// A thousand unknown paths do not flood the server, whether all of them use a used-up limit or none does.
func TestThousandPathsAreNoFlood(t *testing.T) {
	for _, row := range []struct {
		name    string
		path    string
		refused int // at most
		within  time.Duration
	}{
		{"all of the limit that is used up", "/search/%s", 16, 2 * time.Hour},
		{"all of another", "/%s", 0, 3 * time.Minute},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newRoutedServer(t, window("core", 600, time.Minute), window("search", 1000, time.Hour))
				s.get(t, "/users/octocat")
				ratelimittest.Batch{Requests: 1000}.Send(s.client, newRoutedRequest(t, http.MethodGet, "/search/code"))
				begun := time.Now()
				var all sync.WaitGroup
				for i := range 1000 {
					all.Go(func() { s.get(t, fmt.Sprintf(row.path, wordOf(i))) })
				}
				all.Wait()
				require.LessOrEqual(t, len(s.search.Arrivals().Refused()), row.refused)
				require.LessOrEqual(t, len(s.core.Arrivals().Refused()), row.refused)
				require.LessOrEqual(t, time.Since(begun), row.within)
				require.LessOrEqual(t, s.core.Arrivals().Busiest(time.Second), 90, "a tenth at once, and the pace, and new routes")
			})
		})
	}
}

// wordOf returns the i-th of many words that look like names.
func wordOf(i int) string {
	word := make([]byte, 6)
	for k := range word {
		word[k] = byte('a' + i%26)
		i = i/26 + 7*k
	}
	return string(word)
}

// A new method of a known path obeys the limits of that path until its own responses
// report limits.
func TestOtherMethodsAreLikeGET(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newRoutedServer(t, window("core", 600, time.Minute), window("search", 10, time.Hour))
		s.get(t, "/users/octocat")
		s.exhaustSearch(t, 1)
		require.Equal(t, routedLatency, s.do(t, newRoutedRequest(t, http.MethodPost, "/users/octocat")))
		short := kit.Within(t, time.Minute)
		_, err := s.client.Do(newRoutedRequest(t, http.MethodPost, "/search/code").WithContext(short))
		var limit *headway.LimitError
		require.ErrorAs(t, err, &limit)
		require.Equal(t, "search", limit.Policy)
		require.Empty(t, s.search.Arrivals().Refused())
	})
}
