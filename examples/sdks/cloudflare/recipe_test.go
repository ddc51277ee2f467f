package cloudflare_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	cloudflaresdk "github.com/cloudflare/cloudflare-go/v6"
	"github.com/cloudflare/cloudflare-go/v6/option"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/examples/sdks/cloudflare"
	"github.com/headway-go/headway/examples/sdks/internal/sdktest"
	"github.com/headway-go/headway/ratelimittest"
)

// Twice as many calls as a window allows all succeed, and none is refused.
func TestRecipe(t *testing.T) {
	api := sdktest.Serve(t, nil, nil)
	limits(api.Handler, 30, time.Second)
	calls := &sdktest.Counter{Base: &headway.Transport{}}
	client := cloudflare.New("token", calls, option.WithBaseURL(api.URL))

	outcomes := ratelimittest.Batch{Requests: 60, Workers: 8}.Do(t.Context(), func(ctx context.Context) (int, error) {
		_, err := create(ctx, client)
		return 0, err
	})
	for _, o := range outcomes {
		require.NoError(t, o.Err)
	}
	require.Len(t, outcomes, 60)
	require.Empty(t, api.Handler.Log.Arrivals().Refused())
	require.Len(t, api.Handler.Log.Arrivals(), 60)
	require.Equal(t, 60, calls.Calls())
}

// refusal is as the API refuses.
var refusal = sdktest.JSON(http.StatusTooManyRequests, rateLimited,
	"Retry-After", "104", "Ratelimit", `"default";r=0;t=104`, "Ratelimit-Policy", `"default";q=1200;w=300`)

// A refused call is sent again once, by headway, with its body.
func TestSingleRetryOwner(t *testing.T) {
	for _, row := range []struct {
		name   string
		client func(transport *sdktest.Counter) *cloudflaresdk.Client
	}{
		{"New", func(transport *sdktest.Counter) *cloudflaresdk.Client { return cloudflare.New("token", transport) }},
		{"NewRetrying", func(transport *sdktest.Counter) *cloudflaresdk.Client {
			return cloudflare.NewRetrying("token", transport)
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var bodies []string
				ok := sdktest.JSON(http.StatusOK, zone)
				network := &ratelimittest.Transport{Handler: sdktest.Bodies(&bodies, sdktest.First(1, refusal, ok))}
				calls := &sdktest.Counter{Base: &headway.Transport{Base: network}}
				begun := time.Now()
				name, err := create(t.Context(), row.client(calls))
				require.NoError(t, err)
				require.Equal(t, "example.com", name)
				require.Equal(t, 1, calls.Calls())
				require.Len(t, bodies, 2)
				require.JSONEq(t, `{"account":{"id":"1"},"name":"example.com"}`, bodies[0])
				require.Equal(t, bodies[0], bodies[1])
				require.GreaterOrEqual(t, time.Since(begun), 104*time.Second)
			})
		})
	}
}

// What headway refuses by itself is not tried again, and says when it could be.
func TestOwnRefusal(t *testing.T) {
	for _, row := range []struct {
		name     string
		maxWait  time.Duration
		deadline time.Duration
		options  []option.RequestOption
		is       error
	}{
		{name: "MaxWait", maxWait: 5 * time.Second, is: headway.ErrMaxWait},
		{name: "deadline of the context", deadline: 5 * time.Second, is: context.DeadlineExceeded},
		{
			name:    "RequestTimeout",
			options: []option.RequestOption{option.WithRequestTimeout(5 * time.Second)}, is: context.DeadlineExceeded,
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var h ratelimittest.Handler
				limits(&h, 1, 10*time.Minute)
				network := &ratelimittest.Transport{Handler: &h}
				calls := &sdktest.Counter{Base: &headway.Transport{Base: network, MaxWait: row.maxWait}}
				client := cloudflare.New("token", calls, row.options...)
				_, err := create(t.Context(), client)
				require.NoError(t, err)

				ctx := t.Context()
				if row.deadline > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, row.deadline)
					defer cancel()
				}
				begun := time.Now()
				_, err = create(ctx, client)
				var limit *headway.LimitError
				require.ErrorAs(t, err, &limit)
				require.ErrorIs(t, err, row.is)
				require.Equal(t, 10*time.Minute, limit.Wait.Round(time.Minute))
				require.Zero(t, time.Since(begun))
				require.Equal(t, 2, calls.Calls())
				require.Len(t, h.Log.Arrivals(), 1)
			})
		})
	}
}

// With NewRetrying a refusal of headway's own is the SDK's error for a 429, and can be told
// from a server's.
func TestOwnRefusalWithRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h ratelimittest.Handler
		limits(&h, 1, 10*time.Minute)
		calls := &sdktest.Counter{Base: &headway.Transport{
			Base: &ratelimittest.Transport{Handler: &h}, MaxWait: 5 * time.Second, Refusal: headway.RefuseWithResponse,
		}}
		client := cloudflare.NewRetrying("token", calls)
		_, err := create(t.Context(), client)
		require.NoError(t, err)
		_, err = create(t.Context(), client)
		var status *cloudflaresdk.Error
		require.ErrorAs(t, err, &status)
		require.Equal(t, http.StatusTooManyRequests, status.StatusCode)
		limit, ok := headway.Refused(status.Response)
		require.True(t, ok)
		require.ErrorIs(t, limit, headway.ErrMaxWait)
		require.Equal(t, 2, calls.Calls())
		require.Len(t, h.Log.Arrivals(), 1)
	})
}

// With NewRetrying the SDK calls again after what is no limit; with New nobody does.
func TestServerError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failing := func() *sdktest.Counter {
			handler := sdktest.First(1, sdktest.JSON(http.StatusInternalServerError, serverError), sdktest.JSON(http.StatusOK, zone))
			return &sdktest.Counter{Base: &headway.Transport{Base: &ratelimittest.Transport{Handler: handler}}}
		}
		calls := failing()
		_, err := create(t.Context(), cloudflare.NewRetrying("token", calls))
		require.NoError(t, err)
		require.Equal(t, 2, calls.Calls())

		calls = failing()
		_, err = create(t.Context(), cloudflare.New("token", calls))
		var status *cloudflaresdk.Error
		require.ErrorAs(t, err, &status)
		require.Equal(t, http.StatusInternalServerError, status.StatusCode)
		require.Equal(t, 1, calls.Calls())
	})
}
