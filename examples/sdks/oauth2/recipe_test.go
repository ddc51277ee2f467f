package oauth2_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/examples/sdks/internal/sdktest"
	"github.com/headway-go/headway/examples/sdks/oauth2"
	"github.com/headway-go/headway/ratelimittest"
)

// A refused request is sent again once, with its body, and with a new token if the old one has expired during
// the hold.
func TestSingleRetryOwner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tokens := &issuer{life: time.Minute}
		refusal := sdktest.JSON(http.StatusTooManyRequests, "{}", "Retry-After", "300")
		server := &sdktest.Journal{Next: tokens.checked(sdktest.First(1, refusal, sdktest.JSON(http.StatusOK, "{}")))}
		network := &ratelimittest.Transport{Handler: site(tokens, server)}
		calls := &sdktest.Counter{Base: oauth2.Transport(source(oauth2.Tokens(t.Context(), network), tokenURL), network)}

		sdktest.RequireResent(t, calls, server, func() error {
			status, err := post(t.Context(), &http.Client{Transport: calls})
			require.Equal(t, http.StatusOK, status)
			return err
		})
		require.Equal(t, "an item", server.Bodies[0])
		require.Equal(t, 2, tokens.issued())
	})
}

// If the token endpoint refuses for some seconds, headway waits. If it refuses for an hour, a call fails at
// once.
func TestTokensRefused(t *testing.T) {
	for _, row := range []struct {
		name       string
		retryAfter string
		least      time.Duration
		most       time.Duration
		asked      int // requests for a token
		ok         bool
	}{
		{"the recipe, for some seconds", "5", 5 * time.Second, 10 * time.Second, 2, true},
		{"the recipe, for an hour", "3600", 0, 0, 1, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				refusal := sdktest.JSON(http.StatusTooManyRequests, `{"error":"slow_down"}`, "Retry-After", row.retryAfter)
				tokens := &sdktest.Journal{Next: sdktest.First(1, refusal, &issuer{life: time.Hour})}
				network := &ratelimittest.Transport{Handler: site(tokens, sdktest.JSON(http.StatusOK, "{}"))}
				client := &http.Client{Transport: oauth2.Transport(source(oauth2.Tokens(t.Context(), network), tokenURL), network)}
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				start := time.Now()
				_, err := post(ctx, client)
				require.Equal(t, row.ok, err == nil, "%v", err)
				require.GreaterOrEqual(t, time.Since(start), row.least)
				require.LessOrEqual(t, time.Since(start), row.most)
				require.Len(t, tokens.Times, row.asked)
			})
		})
	}
}
