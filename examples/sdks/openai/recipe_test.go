package openai_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	openaisdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/examples/sdks/internal/sdktest"
	"github.com/headway-go/headway/examples/sdks/openai"
	"github.com/headway-go/headway/validate"
)

// Twice as many calls as the limit on tokens allows at once all succeed, and none is refused.
func TestRecipe(t *testing.T) {
	api := sdktest.Serve(t, nil, nil)
	byTokens := limits(api.Handler, 60, 3000, time.Second)
	calls := &sdktest.Counter{Base: &headway.Transport{}}
	client := openai.New("key", calls, option.WithBaseURL(api.URL))

	sdktest.Crowd{Calls: 60, Workers: 8}.RequireServed(t, calls, func(ctx context.Context) error { return complete(ctx, client) }, api.Handler, byTokens)
}

// headway waits out a limit per minute. An account without money is refused for good: there is one request, and the error says why.
func TestVerdicts(t *testing.T) {
	for _, client := range []func(string, http.RoundTripper, ...option.RequestOption) openaisdk.Client{openai.New, openai.NewRetrying} {
		err := sdktest.Verdicts{
			Wait:   sdktest.JSON(http.StatusTooManyRequests, rateLimited, "Retry-After-Ms", "250"),
			Hold:   250 * time.Millisecond,
			Never:  sdktest.JSON(http.StatusTooManyRequests, noMoney),
			Answer: sdktest.JSON(http.StatusOK, completion),
		}.Require(t, func(transport http.RoundTripper) func(context.Context) error {
			made := client("key", transport, option.WithBaseURL("http://api.openai.com/v1"))
			return func(ctx context.Context) error { return complete(ctx, made) }
		})
		refusal, _ := errors.AsType[*openaisdk.Error](err)
		require.NotNil(t, refusal)
		require.Equal(t, "insufficient_quota", refusal.Code)
		require.Equal(t, validate.VerdictNever, headway.VerdictOf(refusal.Response))
	}
}
