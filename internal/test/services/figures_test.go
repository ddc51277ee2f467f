package services

import (
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/internal/test/sim"
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

// A batch is not refused where the limits come in announced trailers alone, and is as fast and as even as with a header.
func TestBatch(t *testing.T) {
	for _, test := range []struct {
		name    string
		dialect ratelimittest.Dialect
	}{
		{"draft 10", ratelimittest.Draft10},
		{"X-RateLimit with a delay", sim.XRateLimitDelta},
	} {
		t.Run(test.name, func(t *testing.T) {
			scenario := ratelimittest.Scenario{
				Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(60, time.Minute)},
				Dialect: test.dialect,
				Latency: 100 * time.Millisecond,
				Next:    http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "text") }),
				Load:    ratelimittest.Batch{Requests: 600, Workers: 8},
			}
			header := run(t, &headway.Transport{}, scenario)
			scenario.Dialect = test.dialect.InTrailer()
			trailer := run(t, &headway.Transport{}, scenario)
			t.Logf("header:\n%v\ntrailer:\n%v", header, trailer)
			require.Equal(t, 600, trailer.Served)
			require.LessOrEqual(t, trailer.Refused, header.Refused+1)
			require.LessOrEqual(t, trailer.Took, header.Took*105/100)
			require.Less(t, trailer.GapCV, 2*header.GapCV)
		})
	}
}
