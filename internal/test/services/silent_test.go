package services

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/ratelimittest"
	"github.com/headway-go/headway/validate"
)

// documented returns a profile of a host that never reports its limit of 60 per minute.
func documented() []validate.Profile {
	return []validate.Profile{{Host: "api.example.com", Limits: []validate.Limit{{Quota: 60, Window: time.Minute}}}}
}

// A host that never reports its limit refuses hardly any request, if a profile says what is documented.
func TestDocumentedLimitOfASilentHost(t *testing.T) {
	policy := ratelimittest.Per(60, time.Minute)
	for name, limiter := range map[string]ratelimittest.Limiter{
		"fixed window": &ratelimittest.FixedWindow{Policy: policy},
		"sliding log":  &ratelimittest.SlidingLog{Policy: policy},
		"token bucket": &ratelimittest.TokenBucket{Policy: policy},
	} {
		t.Run(name, func(t *testing.T) {
			scenario := ratelimittest.Scenario{
				Limiter: limiter, Dialect: ratelimittest.Silent, RetryAfter: ratelimittest.Silent,
				Request: kit.NewRequest(t, kit.URL), Latency: 50 * time.Millisecond,
				Load: ratelimittest.Batch{Requests: 150, Workers: 8},
			}
			known, unknown := run(t, &headway.Transport{Profiles: documented()}, scenario), run(t, &headway.Transport{}, scenario)
			t.Logf("with the profile:\n%v\nwithout:\n%v", known, unknown)
			require.Equal(t, 150, known.Served)
			require.LessOrEqual(t, known.Refused, 3)
			require.Greater(t, unknown.Refused, 10)
			require.InDelta(t, 150, known.Took.Seconds(), 10)
		})
	}
}

// The first response shows that the host has a profile.
func TestDocumentedLimitIsKnownFromTheFirstResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := kit.Seeded(t, &headway.Transport{Base: kit.InTurn(kit.Status(http.StatusOK)), Profiles: documented()})
		require.Empty(t, transport.State())
		kit.Prime(t, transport)
		known := transport.State()[0].Limits
		require.Len(t, known, 1)
		require.EqualValues(t, 60, known[0].Quota)
		require.EqualValues(t, validate.Unknown, known[0].Remaining)
		require.Equal(t, time.Minute, known[0].Window)
	})
}

// A trailer without limits does not make the documented ones count beside those of the header.
func TestDocumentedLimitsAreNotInATrailer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &kit.Server{Answer: func(int, *http.Request) *http.Response {
			resp := kit.Reply(http.StatusOK, kit.Fields("RateLimit", `"default";r=900;t=60`, "RateLimit-Policy", `"default";q=1000;w=60`))
			resp.Body, resp.ContentLength = io.NopCloser(strings.NewReader("text")), -1
			resp.Trailer = http.Header{"Grpc-Status": {"0"}}
			return resp
		}}
		transport := kit.Seeded(t, &headway.Transport{Base: server, Profiles: documented()})
		resp, err := kit.Get(t.Context(), transport, kit.URL)
		require.NoError(t, err)
		require.Equal(t, "text", kit.ReadAll(t, resp))
		known := transport.State()[0].Limits
		require.Len(t, known, 1)
		require.Equal(t, "default", known[0].Policy)
	})
}

// A server that tells only what is used of a documented quota, in a unit of its own, refuses hardly any request.
func TestWeightsByAProfile(t *testing.T) {
	figures := map[string]ratelimittest.Figures{}
	for _, host := range []string{"api.binance.com", "api.example.com"} {
		figures[host] = run(t, &headway.Transport{}, ratelimittest.Scenario{
			Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Quota: 6000, Window: time.Minute}, Aligned: true},
			Cost:    func(*http.Request) int64 { return 20 },
			Dialect: func(h http.Header, _ time.Time, d ratelimittest.Decision) {
				h.Set("X-MBX-USED-WEIGHT-1M", strconv.FormatInt(d.Limits[0].Quota-d.Limits[0].Remaining, 10))
			},
			Request: kit.NewRequest(t, "https://"+host+"/api/v3/ticker"), Latency: 50 * time.Millisecond,
			Load: ratelimittest.Batch{Requests: 1500, Workers: 16},
		})
	}
	known, unknown := figures["api.binance.com"], figures["api.example.com"]
	t.Logf("with the profile:\n%v\nwithout:\n%v", known, unknown)
	require.Equal(t, 1500, known.Served)
	require.LessOrEqual(t, known.Refused, 2)
	require.Greater(t, unknown.Refused, known.Refused)
}
