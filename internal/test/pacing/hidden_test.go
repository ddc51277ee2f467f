package pacing

import (
	"maps"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/ratelimittest"
)

// A limit of 60 per minute behind a far higher reported one is found by trial. At most one request in ten is refused, and
// nearly all are served.
func TestLimitHiddenBehindAnother(t *testing.T) {
	for name, told := range map[string]http.Header{
		"1e6 per s":               kit.Fields("RateLimit", `"a";r=1000000;t=1`, "RateLimit-Policy", `"a";q=1000000;w=1`),
		"1000 per s":              kit.Fields("RateLimit", `"a";r=1000;t=1`, "RateLimit-Policy", `"a";q=1000;w=1`),
		"100 per s":               kit.Fields("RateLimit", `"a";r=100;t=1`, "RateLimit-Policy", `"a";q=100;w=1`),
		"10000 per min":           kit.Fields("RateLimit", `"a";r=10000;t=60`, "RateLimit-Policy", `"a";q=10000;w=60`),
		"10000, without a window": kit.Fields("X-RateLimit-Limit", "10000", "X-RateLimit-Remaining", "10000", "X-RateLimit-Reset", "60"),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const requests = 600
				server := &ratelimittest.Handler{Limiter: &ratelimittest.Linear{Policy: ratelimittest.Per(60, time.Minute)}, Dialect: func(h http.Header, _ time.Time, _ ratelimittest.Decision) {
					maps.Copy(h, told)
				}}
				req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, kit.ServerURL, http.NoBody)
				require.NoError(t, err)
				transport := kit.Seeded(t, &headway.Transport{Base: &ratelimittest.Transport{Handler: server, Latency: 20 * time.Millisecond}})
				ratelimittest.Batch{Requests: requests, Workers: 16}.Send(&http.Client{Transport: transport}, req)
				arrivals := server.Arrivals()
				refused, allowed := len(arrivals.Refused()), len(arrivals.Allowed())
				t.Logf("%d were refused, %d allowed", refused, allowed)
				require.LessOrEqual(t, refused, requests/10)
				require.GreaterOrEqual(t, allowed, requests*19/20)
			})
		})
	}
}
