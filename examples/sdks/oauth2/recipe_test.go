package oauth2_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/examples/sdks/internal/sdktest"
	"github.com/headway-go/headway/examples/sdks/oauth2"
	"github.com/headway-go/headway/ratelimittest"
)

// early is how long before its expiry oauth2 treats a token as expired.
const early = 10 * time.Second

// More calls than a window allows all succeed, and the server refuses none, although the token changes in
// between.
func TestRecipe(t *testing.T) {
	tokens := &issuer{life: early + time.Second}
	auth := sdktest.Serve(t, nil, ratelimittest.Silent)
	auth.Handler.Next = tokens
	api := sdktest.Serve(t, &ratelimittest.FixedWindow{Policy: ratelimittest.Per(20, time.Second)}, ratelimittest.Draft10)
	api.Handler.Client = func(*http.Request) string { return "one user" }
	api.Handler.Next = tokens.checked(sdktest.JSON(http.StatusOK, "{}"))

	transport := oauth2.Transport(source(oauth2.Tokens(context.Background(), nil), auth.URL), nil)
	calls := &sdktest.Counter{Base: transport}
	client := &http.Client{Transport: calls}
	sdktest.Crowd{Calls: 40, Workers: 4}.RequireServed(t, calls, func(ctx context.Context) error {
		status, err := postTo(ctx, client, api.URL)
		if err == nil && status != http.StatusOK {
			err = errors.New(http.StatusText(status))
		}
		return err
	}, api.Handler)
	require.Greater(t, tokens.issued(), 1)
}

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
