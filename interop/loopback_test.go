package interop_test

import (
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/ratelimittest"
)

// A race is one kind of client that does the work of a row in real time, over loopback, on a server of its
// own.
type race struct {
	row     *row
	client  client
	work    ratelimittest.Workload
	even    time.Duration
	callers []func(context.Context) (int, error)
	wire    *wire
}

// overHTTP does the work of all rows at the same time, within patience. If compared is true, it also does so
// with plain retries.
func overHTTP(t *testing.T, rows []*row, patience time.Duration, compared bool) {
	t.Helper()
	var races []*race
	for _, r := range rows {
		races = append(races, r.prepare(t, paced))
		if compared {
			races = append(races, r.prepare(t, plain))
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var all sync.WaitGroup
	for _, r := range races {
		all.Go(func() { r.run(ctx) })
	}
	all.Wait()
}

// prepare starts a server, and makes the clients for it.
func (r *row) prepare(t *testing.T, c client) *race {
	t.Helper()
	url := r.server.serve(t)
	work, even := r.load.work(r.server, kit.Chance(t, r.server.name+r.load.name, 0))
	rng := kit.Chance(t, r.server.name+r.load.name+c.name, 0)
	prepared := &race{row: r, client: c, work: work, even: even, wire: &wire{}}
	for range r.load.clients {
		prepared.callers = append(prepared.callers, r.caller(t, url, prepared.wire, c, rng))
	}
	return prepared
}

// run lets all clients work, and stores the figures in the row.
func (r *race) run(ctx context.Context) {
	outcomes := make([][]ratelimittest.Outcome, len(r.callers))
	begun := time.Now()
	var all sync.WaitGroup
	for i, call := range r.callers {
		all.Go(func() { outcomes[i] = r.work.Do(ctx, call) })
	}
	all.Wait()
	f := r.row.server.count(outcomes, r.wire.all(), time.Since(begun), r.even)
	if r.client.name == plain.name {
		r.row.plainRetry = &f
		return
	}
	r.row.headway = f
}

// serve starts the server in front of an API that takes s.service for each response. It returns the server's
// URL.
func (s server) serve(t *testing.T) (url string) {
	t.Helper()
	api := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(s.service) // simulates an API that takes this long
		_, _ = io.WriteString(w, "served")
	})
	if s.program != nil {
		upstream := httptest.NewServer(api)
		t.Cleanup(upstream.Close)
		return s.program.start(t, upstream.URL)
	}
	limited, stop, err := s.start(api)
	require.NoError(t, err)
	t.Cleanup(stop)
	served := httptest.NewServer(behindOneAddress(limited))
	t.Cleanup(served.Close)
	return served.URL
}

// caller makes a client with connections of its own, and returns a function that makes a call.
func (r *row) caller(t *testing.T, url string, wire *wire, c client, rng *rand.Rand) func(context.Context) (int, error) {
	t.Helper()
	base := &http.Transport{MaxIdleConnsPerHost: 2 * workers}
	t.Cleanup(base.CloseIdleConnections)
	client := &http.Client{Transport: c.make(wire.below(base), rng, r.server.profiles)}
	return func(ctx context.Context) (int, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return 0, err
		}
		resp, err := client.Do(req)
		if err != nil {
			return 0, err
		}
		_, err = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close() // it was read to its end
		return resp.StatusCode, err
	}
}
