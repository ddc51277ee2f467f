package anthropic_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	anthropicsdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/examples/sdks/anthropic"
	"github.com/headway-go/headway/examples/sdks/internal/sdktest"
	"github.com/headway-go/headway/ratelimittest"
)

// Twice as many calls as the limit on output tokens allows at once all succeed, and none is refused.
func TestRecipe(t *testing.T) {
	api := sdktest.Serve(t, nil, nil)
	byTokens := limits(api.Handler, 60, 1800, time.Second)
	calls := &sdktest.Counter{Base: &headway.Transport{}}
	client := anthropic.New("key", calls, option.WithBaseURL(api.URL))

	sdktest.Crowd{Calls: 60, Workers: 8}.RequireServed(t, calls, func(ctx context.Context) error {
		_, err := ask(ctx, client)
		return err
	}, api.Handler, byTokens)
}

// refusal is a refusal of the API. It asks the SDK to retry.
var refusal = sdktest.JSON(http.StatusTooManyRequests, rateLimited,
	"Retry-After", "2", "X-Should-Retry", "true",
	"Anthropic-Ratelimit-Requests-Limit", "50", "Anthropic-Ratelimit-Requests-Remaining", "0",
	"Anthropic-Ratelimit-Requests-Reset", "2000-01-01T00:00:02Z") // a synctest bubble begins at 00:00

// Only headway sends a refused call again. After other failures the SDK retries, or nobody does.
func TestRetries(t *testing.T) {
	sdktest.Retries[anthropicsdk.Client, option.RequestOption]{
		New:         anthropic.New,
		NewRetrying: anthropic.NewRetrying,
		Call:        ask,
		WithTimeout: option.WithRequestTimeout,
		Error: func(t *testing.T, err error) *http.Response {
			t.Helper()
			var status *anthropicsdk.Error
			require.ErrorAs(t, err, &status)
			require.Equal(t, status.Response.StatusCode, status.StatusCode)
			return status.Response
		},
		Limits: func(h *ratelimittest.Handler, requests int64, window time.Duration) {
			limits(h, requests, 1000, window)
		},
		Refusal:     refusal,
		RetryAfter:  2 * time.Second,
		ServerError: serverError,
		Answer:      message,
		Says:        "Hello!",
		Request: `{"model":"claude-haiku-4-5","max_tokens":100,
			"messages":[{"role":"user","content":[{"type":"text","text":"Hello"}]}]}`,
	}.Test(t)
}
