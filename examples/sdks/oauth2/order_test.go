package oauth2_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	sdk "golang.org/x/oauth2"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/examples/sdks/internal/sdktest"
	"github.com/headway-go/headway/examples/sdks/oauth2"
	"github.com/headway-go/headway/ratelimittest"
)

// An order is an order of headway and oauth2 in the chain of transports.
type order struct {
	name   string
	client func(context.Context, http.RoundTripper) *http.Client
	fresh  bool // a request's token is valid when it is sent
	holds  bool // what headway has learned outlives a token
}

func orders() []order {
	below := func(ctx context.Context, paced *headway.Transport) *http.Client {
		ctx = context.WithValue(ctx, sdk.HTTPClient, &http.Client{Transport: paced})
		return sdk.NewClient(ctx, source(ctx, tokenURL))
	}
	perHost := func(req *http.Request) string { return req.URL.Host }
	return []order{
		{"the recipe", func(ctx context.Context, network http.RoundTripper) *http.Client {
			return &http.Client{Transport: oauth2.Transport(source(oauth2.Tokens(ctx, network), tokenURL), network)}
		}, true, true},
		{"headway below", func(ctx context.Context, network http.RoundTripper) *http.Client {
			return below(ctx, &headway.Transport{Base: network})
		}, false, false},
		{"headway below, a partition for each host", func(ctx context.Context, network http.RoundTripper) *http.Client {
			return below(ctx, &headway.Transport{Base: network, Partition: perHost})
		}, false, true},
	}
}

// If headway is below oauth2, a request gets its token before it waits, and the token may have expired when
// it is sent.
func TestTokenExpiresInTheQueue(t *testing.T) {
	for _, row := range orders() {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tokens := &issuer{life: 5 * time.Minute}
				limit := &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(1, 10*time.Minute)}}
				limit.Client = func(*http.Request) string { return "one user" }
				client := row.client(t.Context(), &ratelimittest.Transport{Handler: site(tokens, tokens.checked(limit))})
				start := time.Now()
				status, err := post(t.Context(), client)
				require.NoError(t, err)
				require.Equal(t, http.StatusOK, status)

				status, err = post(t.Context(), client)
				require.NoError(t, err)
				require.Equal(t, row.fresh, status == http.StatusOK)
				require.Equal(t, !row.fresh, status == http.StatusUnauthorized)
				require.GreaterOrEqual(t, time.Since(start), 10*time.Minute)
			})
		})
	}
}

// If headway is below oauth2, a new token means a new partition by default, and the old partition's hold is
// not applied.
func TestTokenChangesInAHold(t *testing.T) {
	for _, row := range orders() {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tokens := &issuer{life: time.Minute}
				refusal := sdktest.JSON(http.StatusTooManyRequests, "{}", "Retry-After", "600")
				server := &sdktest.Journal{Next: sdktest.First(1, refusal, sdktest.JSON(http.StatusOK, "{}"))}
				client := row.client(t.Context(), &ratelimittest.Transport{Handler: site(tokens, server)})
				var group sync.WaitGroup
				for range 2 {
					group.Go(func() {
						if _, err := post(t.Context(), client); err != nil {
							t.Error(err)
						}
					})
					time.Sleep(2 * time.Minute)
				}
				group.Wait()
				require.Len(t, server.Times, 3)
				require.Equal(t, row.holds, server.Times[1].Sub(server.Times[0]) >= 10*time.Minute)
			})
		})
	}
}
