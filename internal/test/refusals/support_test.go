package refusals

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

const month = 31 * 24 * time.Hour

// closed reports no remaining quota for a month.
func closed() func(*http.Request) *http.Response {
	return kit.Status(http.StatusOK, "RateLimit", `"a";r=0;t=2678400`, "RateLimit-Policy", `"a";q=1000;w=2678400`)
}

// open reports plenty of remaining quota.
func open() func(*http.Request) *http.Response {
	return kit.Status(http.StatusOK, "RateLimit", `"a";r=900;t=60`, "RateLimit-Policy", `"a";q=1000;w=60`)
}

// requireRefused checks that a request is refused because it would have to wait for at least that long.
func requireRefused(t *testing.T, transport http.RoundTripper, wait time.Duration) {
	t.Helper()
	start := time.Now()
	_, err := kit.Get(t.Context(), transport, kit.URL)
	refused, ok := errors.AsType[*headway.LimitError](err)
	require.True(t, ok, "%v", err)
	require.GreaterOrEqual(t, refused.Wait, wait)
	require.Zero(t, time.Since(start))
}

// asks sends a request a minute for that long, each with 90 seconds' time, and returns when those went that did.
func asks(t *testing.T, transport http.RoundTripper, d time.Duration) (went []time.Duration) {
	t.Helper()
	for start := time.Now(); time.Since(start) < d; time.Sleep(time.Minute) {
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		if resp, err := kit.Get(ctx, transport, kit.URL); err == nil {
			went = append(went, time.Since(start))
			require.NoError(t, resp.Body.Close())
		}
		cancel()
	}
	return went
}
