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
	"github.com/headway-go/headway/ratelimittest"
)

const threeRenewals = 3 * longestRenewal

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
					handler := &ratelimittest.Handler{
						Limiter: algorithm.new(600, time.Minute), Dialect: ratelimittest.Draft10,
						Client: func(*http.Request) string { return "" },
					}
					store := newMemory()
					store.delay = storeDelay
					stays := newWorker(t, store, handler)
					time.Sleep(30 * time.Second)
					require.InDelta(t, 1, stays.share(t), 0.01)

					joins := newWorker(t, store, handler)
					time.Sleep(threeRenewals)
					require.InDelta(t, 0.5, stays.share(t), 0.01)
					require.InDelta(t, 0.5, joins.share(t), 0.01)

					joins.end(row.crashes)
					time.Sleep(row.within)
					require.InDelta(t, 1, stays.share(t), 0.01)

					again := newWorker(t, store, handler)
					time.Sleep(threeRenewals)
					require.InDelta(t, 0.5, stays.share(t), 0.01)
					require.InDelta(t, 0.5, again.share(t), 0.01)
					again.end(false)
					stays.end(false)
				})
			})
		}
	}
}

// A worker is a process that sends as much as it may.
type worker struct {
	transport *headway.Transport
	fleet     *Fleet
	stop      func()
}

func newWorker(t *testing.T, s store, handler http.Handler) *worker {
	t.Helper()
	f, err := newFleet(s, []byte(testKey))
	require.NoError(t, err)
	w := &worker{transport: &headway.Transport{Base: &ratelimittest.Transport{Handler: handler, Latency: latency}, Fleet: f}, fleet: f}
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://api.test/", http.NoBody)
	require.NoError(t, err)
	var sending sync.WaitGroup
	sending.Go(func() {
		ratelimittest.Batch{For: time.Hour, Workers: testWorkers}.Send(&http.Client{Transport: w.transport}, req)
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
