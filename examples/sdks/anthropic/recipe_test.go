package anthropic_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	anthropicsdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/examples/sdks/anthropic"
	"github.com/headway-go/headway/examples/sdks/internal/sdktest"
	"github.com/headway-go/headway/validate"
)

// Twice as many calls as the limit on output tokens allows at once all succeed, and none is refused.
func TestRecipe(t *testing.T) {
	api := sdktest.Serve(t, nil, nil)
	byTokens := limits(api.Handler, 60, 1800, time.Second)
	calls := &sdktest.Counter{Base: &headway.Transport{}}
	client := anthropic.New("key", calls, option.WithBaseURL(api.URL))

	sdktest.Crowd{Calls: 60, Workers: 8}.RequireServed(t, calls, func(ctx context.Context) error { return ask(ctx, client) }, api.Handler, byTokens)
}

// headway waits out a limit per minute. An account that has spent its money of the month is refused for good: there is one request, and the error says why.
func TestVerdicts(t *testing.T) {
	for _, client := range []func(string, http.RoundTripper, ...option.RequestOption) anthropicsdk.Client{anthropic.New, anthropic.NewRetrying} {
		err := sdktest.Verdicts{
			Wait:   sdktest.JSON(http.StatusTooManyRequests, rateLimited, "Retry-After", "1", "X-Should-Retry", "true"),
			Hold:   time.Second,
			Never:  sdktest.JSON(http.StatusTooManyRequests, spent),
			Answer: sdktest.JSON(http.StatusOK, message),
		}.Require(t, func(transport http.RoundTripper) func(context.Context) error {
			made := client("key", transport, option.WithBaseURL("http://api.anthropic.com/"))
			return func(ctx context.Context) error { return ask(ctx, made) }
		})
		refusal, _ := errors.AsType[*anthropicsdk.Error](err)
		require.NotNil(t, refusal)
		require.Equal(t, validate.VerdictNever, headway.VerdictOf(refusal.Response))
	}
}
