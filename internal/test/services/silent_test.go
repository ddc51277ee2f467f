package services

import (
	"io"
	"net/http"
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
			run := func(profiles []validate.Profile) ratelimittest.Figures {
				request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, kit.URL, http.NoBody)
				require.NoError(t, err)
				return ratelimittest.Run(t, ratelimittest.Scenario{
					Limiter: limiter, Dialect: ratelimittest.Silent, RetryAfter: ratelimittest.Silent,
					Request: request, Latency: 50 * time.Millisecond,
					NewClient: func(base http.RoundTripper) *http.Client {
						return &http.Client{Transport: kit.Seeded(t, &headway.Transport{Base: base, Profiles: profiles})}
					},
					Load: ratelimittest.Batch{Requests: 150, Workers: 8},
				})
			}
			known, unknown := run(documented()), run(nil)
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
