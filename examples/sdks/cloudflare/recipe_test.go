package cloudflare_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	cloudflaresdk "github.com/cloudflare/cloudflare-go/v6"
	"github.com/cloudflare/cloudflare-go/v6/option"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/examples/sdks/cloudflare"
	"github.com/headway-go/headway/examples/sdks/internal/sdktest"
)

// Twice as many calls as a window allows all succeed, and none is refused.
func TestRecipe(t *testing.T) {
	api := sdktest.Serve(t, nil, nil)
	limits(api.Handler, 30, time.Second)
	calls := &sdktest.Counter{Base: &headway.Transport{}}
	client := cloudflare.New("token", calls, option.WithBaseURL(api.URL))

	sdktest.Crowd{Calls: 60, Workers: 8}.RequireServed(t, calls, func(ctx context.Context) error {
		_, err := create(ctx, client)
		return err
	}, api.Handler)
}

// refusal is a refusal of the API.
var refusal = sdktest.JSON(http.StatusTooManyRequests, rateLimited,
	"Retry-After", "104", "Ratelimit", `"default";r=0;t=104`, "Ratelimit-Policy", `"default";q=1200;w=300`)

// Only headway sends a refused call again. After other failures the SDK retries, or nobody does.
func TestRetries(t *testing.T) {
	sdktest.Retries[*cloudflaresdk.Client, option.RequestOption]{
		New:         cloudflare.New,
		NewRetrying: cloudflare.NewRetrying,
		Call:        create,
		WithTimeout: option.WithRequestTimeout,
		Error: func(t *testing.T, err error) *http.Response {
			t.Helper()
			var status *cloudflaresdk.Error
			require.ErrorAs(t, err, &status)
			require.Equal(t, status.Response.StatusCode, status.StatusCode)
			return status.Response
		},
		Limits:      limits,
		Refusal:     refusal,
		RetryAfter:  104 * time.Second,
		ServerError: serverError,
		Answer:      zone,
		Says:        "example.com",
		Request:     `{"account":{"id":"1"},"name":"example.com"}`,
	}.Test(t)
}
