package headway_test

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/ratelimittest"
)

// Numbers that set no pace open no more places than silence does.
func TestNumbersWithoutAPaceMakeNoFlood(t *testing.T) {
	for _, header := range []http.Header{
		fields("RateLimit", `"a";r=0`), fields("RateLimit", `"a";r=0;t=0`), fields("RateLimit", `"a";r=5`),
		fields("X-RateLimit-Remaining", "0"), fields("X-RateLimit-Limit", "5", "X-RateLimit-Remaining", "0"),
		fields("X-RateLimit-Limit", "5"), fields("X-RateLimit-Reset", "60"), fields("RateLimit-Policy", `"a";q=5`),
		fields("X-RateLimit-Limit", minus, "X-RateLimit-Remaining", minus, "X-RateLimit-Reset", minus),
	} {
		t.Run(fmt.Sprint(header), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := always(200, header)
				transport := &headway.Transport{Base: server}
				first(t, transport, 200, header)
				started := time.Now()
				require.NoError(t, errors.Join(crowd(t.Context(), transport, 100)...))
				require.LessOrEqual(t, server.arrived(started, 1), 3)
			})
		})
	}
}

// A limit of 60 per minute that hides behind a far higher one is found by trial:
// at most one request in ten is refused on the way, and nearly all are served.
func TestLimitHiddenBehindAnother(t *testing.T) {
	for name, told := range map[string]http.Header{
		"1e6 per s":               fields("RateLimit", `"a";r=1000000;t=1`, "RateLimit-Policy", `"a";q=1000000;w=1`),
		"1000 per s":              fields("RateLimit", `"a";r=1000;t=1`, "RateLimit-Policy", `"a";q=1000;w=1`),
		"100 per s":               fields("RateLimit", `"a";r=100;t=1`, "RateLimit-Policy", `"a";q=100;w=1`),
		"10000 per min":           fields("RateLimit", `"a";r=10000;t=60`, "RateLimit-Policy", `"a";q=10000;w=60`),
		"10000, without a window": fields("X-RateLimit-Limit", "10000", "X-RateLimit-Remaining", "10000", "X-RateLimit-Reset", "60"),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const requests = 600
				server := ratelimittest.NewHandler(ratelimittest.NewLinear(60, time.Minute), func(h http.Header, _ time.Time, _ ratelimittest.Decision) {
					maps.Copy(h, told)
				})
				req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, hostileURL, http.NoBody)
				require.NoError(t, err)
				transport := seeded(t, &headway.Transport{Base: &ratelimittest.Transport{Handler: server, Latency: 20 * time.Millisecond}})
				ratelimittest.Batch{Requests: requests, Workers: 16}.Send(&http.Client{Transport: transport}, req)
				arrivals := server.Log.Arrivals()
				refused, allowed := len(arrivals.Refused()), len(arrivals.Allowed())
				t.Logf("%d were refused, %d allowed", refused, allowed)
				require.LessOrEqual(t, refused, requests/10)
				require.GreaterOrEqual(t, allowed, requests*19/20)
			})
		})
	}
}
