package fleet

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/ratelimittest"
)

// shared returns a server with one quota for all clients together.
func shared(p ratelimittest.Policy) *ratelimittest.Handler {
	return &ratelimittest.Handler{
		Limiter: &ratelimittest.FixedWindow{Policy: p, Aligned: true},
		Dialect: ratelimittest.Draft10,
		Client:  func(*http.Request) string { return "" },
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
		store := newMemory()
		store.delay = storeDelay
		var all sync.WaitGroup
		for i, path := range []string{"/core", "/search"} {
			f, err := newFleet(store, []byte(testKey))
			require.NoError(t, err)
			client := &http.Client{Transport: &headway.Transport{
				Base: &ratelimittest.Transport{Handler: server, Latency: latency, RemoteAddr: strconv.Itoa(i)}, Fleet: f,
			}}
			for _, both := range []string{"/core", "/search"} {
				resp, err := client.Get("http://api.test" + both)
				require.NoError(t, err)
				require.NoError(t, resp.Body.Close())
			}
			req, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodGet, "http://api.test"+path, http.NoBody)
			require.NoError(t, err)
			all.Go(func() {
				ratelimittest.Batch{For: 6 * time.Minute, Workers: 4}.Send(client, req)
				_ = f.Close()
			})
		}
		all.Wait()
		require.Greater(t, len(core.Arrivals().Allowed()), 6*600*95/100)
		require.Greater(t, len(search.Arrivals().Allowed()), 6*30*90/100)
	})
}

// Tokens are shared as requests are.
func TestTokensAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const cost, quota, processes, windows = 500, 60_000, 4, 6
		server := shared(ratelimittest.Policy{Name: "tokens", Unit: "tokens", Quota: quota, Window: time.Minute})
		server.Cost = func(*http.Request) int64 { return cost }
		store := newMemory()
		store.delay = storeDelay
		var all sync.WaitGroup
		for i := range processes {
			f, err := newFleet(store, []byte(testKey))
			require.NoError(t, err)
			client := &http.Client{Transport: &headway.Transport{
				Base: &ratelimittest.Transport{Handler: server, Latency: latency, RemoteAddr: strconv.Itoa(i)}, Fleet: f,
			}}
			ctx := headway.WithCost(context.WithoutCancel(t.Context()), "tokens", cost)
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://api.test/", http.NoBody)
			require.NoError(t, err)
			all.Go(func() {
				ratelimittest.Batch{For: windows * time.Minute, Workers: testWorkers}.Send(client, req)
				_ = f.Close()
			})
		}
		all.Wait()
		served := len(server.Arrivals().Allowed())
		require.Greater(t, served, windows*quota/cost*90/100)
		require.Less(t, len(server.Arrivals().Refused()), served/20)
	})
}

// A hold that one member meets stops all members until the server's time. It does not include the eight
// seconds by which that member's own pace extends it.
func TestHoldIsSharedWithoutOwnDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const hold = 4 * time.Second
		limited := shared(ratelimittest.Policy{Name: "default", Quota: 60, Window: time.Minute})
		begun := time.Now()
		at := begun.Add(90 * time.Second)
		var mu sync.Mutex
		var refused time.Time
		var after []time.Time // when other requests were sent
		server := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			first := refused.IsZero() && time.Now().After(at)
			if first {
				refused = time.Now()
			} else if !refused.IsZero() {
				after = append(after, time.Now())
			}
			mu.Unlock()
			if first {
				w.Header().Set("Retry-After", "4")
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			limited.ServeHTTP(w, r)
		})
		store := newMemory()
		store.delay = storeDelay
		s := scenario{}
		var all sync.WaitGroup
		for range 8 {
			p := process{to: 3 * time.Minute, store: store}
			all.Go(func() { p.send(t, &s, &ratelimittest.Transport{Handler: server, Latency: latency}, nil) })
		}
		all.Wait()
		require.False(t, refused.IsZero())
		n, soon := 0, 0
		for _, x := range after {
			switch {
			case x.After(refused.Add(threeRenewals)) && x.Before(refused.Add(hold)):
				n++
			case x.Before(refused.Add(hold + 5*time.Second)):
				soon++
			}
		}
		require.Zero(t, n, "all know within two renewals")
		require.Positive(t, soon, "and are back soon after it")
	})
}
