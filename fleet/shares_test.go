package fleet

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/fleet/internal/fleettest"
	"github.com/headway-go/headway/fleet/internal/store"
	"github.com/headway-go/headway/ratelimittest"
)

const threeRenewals = 3 * longestRenewal

// shared returns a server with one quota for all clients together.
func shared(p ratelimittest.Policy) *ratelimittest.Handler {
	return fleettest.ForAll(&ratelimittest.FixedWindow{Policy: p, Aligned: true})
}

// newDelayed returns a store that is as far away as stores are.
func newDelayed() *memory {
	s := newMemory()
	s.delay = storeDelay
	return s
}

// A worker is a process that sends as much as it may.
type worker struct {
	transport *headway.Transport
	fleet     *Fleet
	stop      func()
}

// newWorker starts a process that sends req, which is changed.
func newWorker(t *testing.T, s store.Store, server http.Handler, req *http.Request) *worker {
	t.Helper()
	f, err := New(s, Options{Key: []byte(fleettest.Key)})
	require.NoError(t, err)
	w := &worker{transport: &headway.Transport{Base: &ratelimittest.Transport{Handler: server, Latency: latency}, Fleet: f}, fleet: f}
	ctx, cancel := context.WithCancel(req.Context())
	var sending sync.WaitGroup
	sending.Go(func() {
		ratelimittest.Batch{For: time.Hour, Workers: testWorkers}.Send(&http.Client{Transport: w.transport}, req.WithContext(ctx))
	})
	w.stop = func() {
		cancel()
		sending.Wait()
	}
	return w
}

func (w *worker) end(crashes bool) {
	w.stop()
	if crashes {
		w.fleet.stop()
		<-w.fleet.done
		return
	}
	_ = w.fleet.Close()
}

// share returns the agreed share of the only limit.
func (w *worker) share(t *testing.T) float64 {
	t.Helper()
	all := w.transport.State()
	require.Len(t, all, 1)
	require.Len(t, all[0].Limits, 1)
	require.True(t, all[0].Limits[0].Agreed)
	return all[0].Limits[0].Share
}

// request returns a request for a path of the server.
func request(t *testing.T, path string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://api.test"+path, http.NoBody)
	require.NoError(t, err)
	return req
}

// Shares follow members that join and leave within three renewals. After a crash they follow within three
// renewals of the end of the lease.
func TestSharesFollow(t *testing.T) {
	for _, algorithm := range []algorithm{fixed, linear} {
		for _, row := range []struct {
			name    string
			crashes bool
			within  time.Duration
		}{
			{"leaves", false, threeRenewals},
			{"crashes", true, leaseFor + threeRenewals},
		} {
			t.Run(row.name+", "+algorithm.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					server, store := fleettest.ForAll(algorithm.new(600, time.Minute)), newDelayed()
					stays := newWorker(t, store, server, request(t, "/"))
					time.Sleep(30 * time.Second)
					require.InDelta(t, 1, stays.share(t), 0.01)

					joins := newWorker(t, store, server, request(t, "/"))
					time.Sleep(threeRenewals)
					require.InDelta(t, 0.5, stays.share(t), 0.01)
					require.InDelta(t, 0.5, joins.share(t), 0.01)

					joins.end(row.crashes)
					time.Sleep(row.within)
					require.InDelta(t, 1, stays.share(t), 0.01)
					stays.end(false)
				})
			})
		}
	}
}

// A member that waits for one limit claims nothing of another limit that it does not use.
func TestWaitForOneLimitClaimsNothingOfAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		search := shared(ratelimittest.Policy{Name: "search", Quota: 30, Window: time.Minute})
		core := shared(ratelimittest.Policy{Name: "core", Quota: 600, Window: time.Minute})
		server := http.NewServeMux()
		server.Handle("/search", search)
		server.Handle("/core", core)
		store := newDelayed()
		searches := newWorker(t, store, server, request(t, "/search"))
		works := newWorker(t, store, server, request(t, "/core"))
		for w, other := range map[*worker]string{searches: "/core", works: "/search"} {
			resp, err := w.transport.RoundTrip(request(t, other))
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
		}
		time.Sleep(6 * time.Minute)
		searches.end(false)
		works.end(false)
		require.Greater(t, len(core.Arrivals().Allowed()), 6*600*95/100)
		require.Greater(t, len(search.Arrivals().Allowed()), 6*30*90/100)
	})
}

// A hold that one member meets stops all members until the server's time. It does not include the eight
// seconds by which that member's own pace extends it.
func TestHoldIsSharedWithoutOwnDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const hold = 4 * time.Second
		limited := shared(ratelimittest.Policy{Name: "default", Quota: 60, Window: time.Minute})
		at := time.Now().Add(90 * time.Second)
		var mu sync.Mutex
		var refused time.Time
		var after []time.Duration // when other requests were sent, since then
		server := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			switch {
			case refused.IsZero() && time.Now().After(at):
				refused = time.Now()
				w.Header().Set("Retry-After", "4")
				w.WriteHeader(http.StatusTooManyRequests)
				return
			case !refused.IsZero():
				after = append(after, time.Since(refused))
			}
			limited.ServeHTTP(w, r)
		})
		store := newDelayed()
		var all []*worker
		for range 8 {
			all = append(all, newWorker(t, store, server, request(t, "/")))
		}
		time.Sleep(3 * time.Minute)
		for _, w := range all {
			w.end(false)
		}
		require.False(t, refused.IsZero())
		soon := 0
		for _, x := range after {
			require.False(t, x > threeRenewals && x < hold, "all know within three renewals")
			if x >= hold && x < hold+5*time.Second {
				soon++
			}
		}
		require.Positive(t, soon, "and are back soon after it")
	})
}
