package conditional_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gregjones/httpcache"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/examples/sdks/conditional"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/ratelimittest"
)

// api returns a server that allows 5,000 requests per hour, as GitHub. It does not count those that get 304.
func api() *ratelimittest.Handler {
	isKnown := func(r *http.Request) bool { return r.Header.Get("If-None-Match") == `"`+r.URL.Path+`"` }
	h := &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(5000, time.Hour)}, Dialect: ratelimittest.XRateLimit}
	h.Cost = func(r *http.Request) int64 {
		if isKnown(r) {
			return 0
		}
		return 1
	}
	h.Next = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"`+r.URL.Path+`"`)
		w.Header().Set("Cache-Control", "private, max-age=1800")
		w.Header().Set("Date", time.Now().UTC().Format(http.TimeFormat))
		if isKnown(r) {
			w.WriteHeader(http.StatusNotModified)
		}
	})
	return h
}

// reading reads a thousand documents by 16 workers, and returns how long that takes.
func reading(t *testing.T, transport http.RoundTripper) time.Duration {
	t.Helper()
	begun := time.Now()
	var next atomic.Int64
	ratelimittest.Batch{Requests: 1000, Workers: 16}.Do(t.Context(), func(ctx context.Context) (int, error) {
		resp, err := kit.Get(ctx, transport, fmt.Sprintf("https://api.example.com/%d", next.Add(1)))
		if err != nil {
			return 0, err
		}
		_, err = io.Copy(io.Discard, resp.Body) // the cache keeps what was read to its end
		return resp.StatusCode, errors.Join(err, resp.Body.Close())
	})
	return time.Since(begun)
}

// A thousand documents are read three times: first, a moment later from the cache, and when they are not fresh any more.
func TestRevalidation(t *testing.T) {
	for name, test := range map[string]struct {
		cost        func(*http.Request, limits.Unit) int64
		least, most time.Duration
	}{
		"free":                  {conditional.Cost, time.Second, 10 * time.Second}, // 3.2 s
		"paced like all others": {nil, 2 * time.Minute, 4 * time.Minute},           // 3m2s
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := api()
				transport := conditional.Transport(httpcache.NewMemoryCache(), &ratelimittest.Transport{Handler: server, Latency: 50 * time.Millisecond})
				transport.Transport.(*headway.Transport).Cost = test.cost
				require.Greater(t, reading(t, transport), 5*time.Minute)
				time.Sleep(10 * time.Minute)
				require.Zero(t, reading(t, transport))
				require.Len(t, server.Arrivals(), 1000)

				time.Sleep(time.Hour)
				took := reading(t, transport)
				require.GreaterOrEqual(t, took, test.least)
				require.LessOrEqual(t, took, test.most)
				require.Len(t, server.Arrivals(), 2000)
				require.Empty(t, server.Arrivals().Refused())
			})
		})
	}
}
