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
	"github.com/headway-go/headway/validate"
)

// overHTTP has clients of a kind do the work over the loopback interface, in real time.
func (s server) overHTTP(t *testing.T, l load, c client, profiles []validate.Profile) figures {
	t.Helper()
	url := s.serve(t)
	work, even := l.work(s, kit.Chance(t, s.name+l.name, 0))
	rng := kit.Chance(t, s.name+l.name+c.name, 0)
	var wire wire
	outcomes := make([][]ratelimittest.Outcome, l.clients)
	var all sync.WaitGroup
	begun := time.Now()
	for i := range l.clients {
		call := s.caller(t, url, &wire, c, rng, profiles)
		all.Go(func() { outcomes[i] = work.Do(t.Context(), call) })
	}
	all.Wait()
	return s.count(outcomes, wire.all(), time.Since(begun), even)
}

// serve starts the server before an API that takes its time, and returns its URL.
func (s server) serve(t *testing.T) (url string) {
	t.Helper()
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.service > 0 {
			time.Sleep(s.service)
		}
		_, _ = io.WriteString(w, "served")
	})
	if s.program != nil {
		return s.program.begin(t, api)
	}
	limited, stop, err := s.start(api)
	require.NoError(t, err)
	t.Cleanup(stop)
	served := httptest.NewServer(behindOneAddress(limited))
	t.Cleanup(served.Close)
	return served.URL
}

// caller makes a client with connections of its own, and returns what it calls.
func (s server) caller(t *testing.T, url string, wire *wire, c client, rng *rand.Rand, profiles []validate.Profile) func(context.Context) (int, error) {
	t.Helper()
	base := &http.Transport{MaxIdleConnsPerHost: 2 * workers}
	t.Cleanup(base.CloseIdleConnections)
	client := &http.Client{Transport: c.make(wire.below(base), rng, profiles)}
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
		_ = resp.Body.Close() // it has been read
		return resp.StatusCode, err
	}
}
