package services

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/ratelimittest"
)

// A server that tells only what is used of a documented quota, in a unit of its own, refuses hardly any request.
func TestWeightsByAProfile(t *testing.T) {
	const weight = 20
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://api.binance.com/api/v3/ticker", http.NoBody)
	require.NoError(t, err)
	run := func(url string) ratelimittest.Figures {
		request := request.Clone(t.Context())
		request.URL.Host = url
		return ratelimittest.Run(t, ratelimittest.Scenario{
			Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Quota: 6000, Window: time.Minute}, Aligned: true},
			Cost:    func(*http.Request) int64 { return weight },
			Dialect: func(h http.Header, _ time.Time, d ratelimittest.Decision) {
				h.Set("X-MBX-USED-WEIGHT-1M", strconv.FormatInt(d.Limits[0].Quota-d.Limits[0].Remaining, 10))
			},
			Request: request,
			Latency: 50 * time.Millisecond,
			NewClient: func(base http.RoundTripper) *http.Client {
				return &http.Client{Transport: kit.Seeded(t, &headway.Transport{Base: base})}
			},
			Load: ratelimittest.Batch{Requests: 1500, Workers: 16},
		})
	}
	known, unknown := run("api.binance.com"), run("api.example.com")
	t.Logf("with the profile:\n%v\nwithout:\n%v", known, unknown)
	require.Equal(t, 1500, known.Served)
	require.LessOrEqual(t, known.Refused, 2)
	require.Greater(t, unknown.Refused, known.Refused)
}
