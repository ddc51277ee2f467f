package bench_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// By default the SDK sends a request up to three times. It has 500 tokens for retries, and each retry costs
// five, which only a success returns. So 50 calls use up the tokens, and later calls are sent once.
func TestAdaptiveGivesUp(t *testing.T) {
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			f := play(t, newAdaptive, refusing(1<<20, status))
			require.Zero(t, f.Served)
			require.Len(t, f.Arrivals, 50*3+10)
			var outOfAttempts *retry.MaxAttemptsError
			require.ErrorAs(t, f.Outcomes[0][0].Err, &outOfAttempts)
			require.Equal(t, 3, outOfAttempts.Attempt)
			var outOfTokens ratelimit.QuotaExceededError
			require.ErrorAs(t, f.Outcomes[0][59].Err, &outOfTokens)
		})
	}
}

// A patient Adaptive sends each request until it succeeds.
func TestPatientAdaptive(t *testing.T) {
	f := play(t, newSilentAdaptive, refusing(200, http.StatusTooManyRequests))
	require.Equal(t, 60, f.Served)
	require.Equal(t, 200, f.Refused)
}

// After a refusal the SDK limits its own rate: later calls wait for tokens.
func TestAdaptiveAdapts(t *testing.T) {
	third := func(server ratelimittest.Scenario) time.Duration {
		a := play(t, newSilentAdaptive, server).Arrivals
		return a[2].Time.Sub(a[1].Time)
	}
	require.Equal(t, latency, third(refusing(0, http.StatusTooManyRequests)))
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		require.Greater(t, third(refusing(1, status)), 4*latency)
	}
}

// play sends 60 requests to a server, one after the other.
func play(t *testing.T, client func(http.RoundTripper) http.RoundTripper, server ratelimittest.Scenario) ratelimittest.Figures {
	t.Helper()
	oneProcessor(t)
	server.NewClient = func(base http.RoundTripper) *http.Client { return &http.Client{Transport: client(base)} }
	server.Load = ratelimittest.Batch{Requests: 60}
	server.Latency = latency
	return ratelimittest.Run(t, server)
}

// refusing returns a server that refuses the first requests.
func refusing(n int64, status int) ratelimittest.Scenario {
	var arrived atomic.Int64
	return ratelimittest.Scenario{
		Dialect: ratelimittest.Silent,
		Refuse:  ratelimittest.Respond(status, "rate limit reached"),
		Limiter: ratelimittest.LimiterFunc(func(time.Time, string, int64) ratelimittest.Decision {
			return ratelimittest.Decision{Allowed: arrived.Add(1) > n}
		}),
	}
}
