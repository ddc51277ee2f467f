package openai_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	openaisdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/examples/sdks/internal/sdktest"
	"github.com/headway-go/headway/examples/sdks/openai"
	"github.com/headway-go/headway/ratelimittest"
)

// Twice as many calls as the limit on tokens allows at once all succeed, and none is refused.
func TestRecipe(t *testing.T) {
	api := sdktest.Serve(t, nil, nil)
	byTokens := limits(api.Handler, 60, 3000, time.Second)
	calls := &sdktest.Counter{Base: &headway.Transport{}}
	client := openai.New("key", calls, option.WithBaseURL(api.URL))

	outcomes := ratelimittest.Batch{Requests: 60, Workers: 8}.Do(t.Context(), func(ctx context.Context) (int, error) {
		_, err := complete(ctx, client)
		return 0, err
	})
	for _, o := range outcomes {
		require.NoError(t, o.Err)
	}
	require.Len(t, outcomes, 60)
	require.Empty(t, api.Handler.Log.Arrivals().Refused())
	require.Empty(t, byTokens.Log.Arrivals().Refused())
	require.Len(t, byTokens.Log.Arrivals().Allowed(), 60)
	require.Equal(t, 60, calls.Calls())
}

// refusal is as the API refuses: the finer of two waits counts.
var refusal = sdktest.JSON(http.StatusTooManyRequests, rateLimited,
	"Retry-After", "2", "Retry-After-Ms", "1500",
	"X-Ratelimit-Limit-Requests", "500", "X-Ratelimit-Remaining-Requests", "499", "X-Ratelimit-Reset-Requests", "120ms",
	"X-Ratelimit-Limit-Tokens", "30000", "X-Ratelimit-Remaining-Tokens", "0", "X-Ratelimit-Reset-Tokens", "1.5s")

// A refused call is sent again once, by headway, with its body.
func TestSingleRetryOwner(t *testing.T) {
	for _, row := range []struct {
		name   string
		client func(transport *sdktest.Counter) openaisdk.Client
	}{
		{"New", func(transport *sdktest.Counter) openaisdk.Client { return openai.New("key", transport) }},
		{"NewRetrying", func(transport *sdktest.Counter) openaisdk.Client { return openai.NewRetrying("key", transport) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var bodies []string
				ok := sdktest.JSON(http.StatusOK, completion)
				network := &ratelimittest.Transport{Handler: sdktest.Bodies(&bodies, sdktest.First(1, refusal, ok))}
				calls := &sdktest.Counter{Base: &headway.Transport{Base: network}}
				begun := time.Now()
				text, err := complete(t.Context(), row.client(calls))
				require.NoError(t, err)
				require.Equal(t, "Hello!", text)
				require.Equal(t, 1, calls.Calls())
				require.Len(t, bodies, 2)
				require.JSONEq(t, `{"model":"gpt-5.4-mini","messages":[{"role":"user","content":"Hello"}]}`, bodies[0])
				require.Equal(t, bodies[0], bodies[1])
				require.GreaterOrEqual(t, time.Since(begun), 1500*time.Millisecond)
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
				limits(&h, 1, 1000, 10*time.Minute)
				network := &ratelimittest.Transport{Handler: &h}
				calls := &sdktest.Counter{Base: &headway.Transport{Base: network, MaxWait: row.maxWait}}
				client := openai.New("key", calls, row.options...)
				_, err := complete(t.Context(), client)
				require.NoError(t, err)

				ctx := t.Context()
				if row.deadline > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, row.deadline)
					defer cancel()
				}
				begun := time.Now()
				_, err = complete(ctx, client)
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
		limits(&h, 1, 1000, 10*time.Minute)
		calls := &sdktest.Counter{Base: &headway.Transport{
			Base: &ratelimittest.Transport{Handler: &h}, MaxWait: 5 * time.Second, Refusal: headway.RefuseWithResponse,
		}}
		client := openai.NewRetrying("key", calls)
		_, err := complete(t.Context(), client)
		require.NoError(t, err)
		_, err = complete(t.Context(), client)
		var status *openaisdk.Error
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
			handler := sdktest.First(1, sdktest.JSON(http.StatusInternalServerError, serverError), sdktest.JSON(http.StatusOK, completion))
			return &sdktest.Counter{Base: &headway.Transport{Base: &ratelimittest.Transport{Handler: handler}}}
		}
		calls := failing()
		_, err := complete(t.Context(), openai.NewRetrying("key", calls))
		require.NoError(t, err)
		require.Equal(t, 2, calls.Calls())

		calls = failing()
		_, err = complete(t.Context(), openai.New("key", calls))
		var status *openaisdk.Error
		require.ErrorAs(t, err, &status)
		require.Equal(t, http.StatusInternalServerError, status.StatusCode)
		require.Equal(t, 1, calls.Calls())
	})
}
