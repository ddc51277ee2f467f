package services

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/ratelimittest"
)

// inMillis is the dialect of Blockscout and others: the reset is a delay in milliseconds.
func inMillis(h http.Header, _ time.Time, d ratelimittest.Decision) {
	for _, l := range d.Limits {
		h.Set("X-RateLimit-Limit", strconv.FormatInt(l.Quota, 10))
		h.Set("X-RateLimit-Remaining", strconv.FormatInt(l.Remaining, 10))
		h.Set("X-RateLimit-Reset", strconv.FormatInt(l.Reset.Milliseconds(), 10))
	}
}

// TestResetInMilliseconds checks that a client finds out that a reset counts milliseconds: 1800 requests at
// 600 per minute take three minutes, and not a day.
func TestResetInMilliseconds(t *testing.T) {
	for _, c := range []struct {
		workers int
		latency time.Duration
		aligned bool
	}{
		{1, 20 * time.Millisecond, false},
		{4, 0, false},
		{8, 100 * time.Millisecond, false},
		{8, 100 * time.Millisecond, true},
		{64, time.Second, true},
	} {
		t.Run(fmt.Sprintf("workers=%d/latency=%v/aligned=%v", c.workers, c.latency, c.aligned), func(t *testing.T) {
			limiter := ratelimittest.NewFixedWindow(600, time.Minute)
			limiter.Aligned = c.aligned
			f := ratelimittest.Run(t, ratelimittest.Scenario{
				Limiter: limiter, Dialect: inMillis, Latency: c.latency,
				NewClient: func(base http.RoundTripper) *http.Client {
					return &http.Client{Transport: kit.Seeded(t, &headway.Transport{Base: base})}
				},
				Load: ratelimittest.Batch{Requests: 1800, Workers: c.workers},
			})
			require.Equal(t, 1800, f.Served)
			require.Less(t, f.Took, 4*time.Minute, "%v", f)
			require.Less(t, f.Refused, 36, "%v", f)
		})
	}
}

// TestResetInSeconds checks that a reset of more than an hour that counts seconds is believed after two
// responses: a quota of 100 per two hours is kept.
func TestResetInSeconds(t *testing.T) {
	f := ratelimittest.Run(t, ratelimittest.Scenario{
		Limiter: ratelimittest.NewFixedWindow(100, 2*time.Hour), Dialect: ratelimittest.XRateLimitDelta, Latency: 50 * time.Millisecond,
		NewClient: func(base http.RoundTripper) *http.Client {
			return &http.Client{Transport: kit.Seeded(t, &headway.Transport{Base: base, MaxWait: -1})}
		},
		Load: ratelimittest.Batch{Requests: 150, Workers: 1},
	})
	require.Equal(t, 150, f.Served)
	require.Less(t, f.Refused, 4, "%v", f)
	require.Less(t, f.Took, 4*time.Hour, "%v", f)
}
