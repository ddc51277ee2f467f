package openai_test

import (
	"context"
	"net/http"
	"testing"
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

	sdktest.Crowd{Calls: 60, Workers: 8}.RequireServed(t, calls, func(ctx context.Context) error {
		_, err := complete(ctx, client)
		return err
	}, api.Handler, byTokens)
}

// refusal is a refusal of the API. Of its two waits the finer one counts.
var refusal = sdktest.JSON(http.StatusTooManyRequests, rateLimited,
	"Retry-After", "2", "Retry-After-Ms", "1500",
	"X-Ratelimit-Limit-Requests", "500", "X-Ratelimit-Remaining-Requests", "499", "X-Ratelimit-Reset-Requests", "120ms",
	"X-Ratelimit-Limit-Tokens", "30000", "X-Ratelimit-Remaining-Tokens", "0", "X-Ratelimit-Reset-Tokens", "1.5s")

// Only headway sends a refused call again. After other failures the SDK retries, or nobody does.
func TestRetries(t *testing.T) {
	sdktest.Retries[openaisdk.Client, option.RequestOption]{
		New:         openai.New,
		NewRetrying: openai.NewRetrying,
		Call:        complete,
		WithTimeout: option.WithRequestTimeout,
		Error: func(t *testing.T, err error) *http.Response {
			t.Helper()
			var status *openaisdk.Error
			require.ErrorAs(t, err, &status)
			require.Equal(t, status.Response.StatusCode, status.StatusCode)
			return status.Response
		},
		Limits: func(h *ratelimittest.Handler, requests int64, window time.Duration) {
			limits(h, requests, 1000, window)
		},
		Refusal:     refusal,
		RetryAfter:  1500 * time.Millisecond,
		ServerError: serverError,
		Answer:      completion,
		Says:        "Hello!",
		Request:     `{"model":"gpt-5.4-mini","messages":[{"role":"user","content":"Hello"}]}`,
	}.Test(t)
}
