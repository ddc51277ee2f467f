package resty_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	sdk "github.com/go-resty/resty/v2"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/examples/sdks/internal/sdktest"
	"github.com/headway-go/headway/examples/sdks/resty"
)

// Over real HTTP, headway waits out a limit. What no waiting helps comes back at once, also from a client that retries.
func TestVerdicts(t *testing.T) {
	for name, client := range map[string]func(http.RoundTripper) *sdk.Client{"New": resty.New, "NewRetrying": resty.NewRetrying} {
		t.Run(name, func(t *testing.T) {
			err := sdktest.Verdicts{
				Wait:   sdktest.JSON(http.StatusTooManyRequests, "{}", "Retry-After", "1"),
				Hold:   time.Second,
				Never:  sdktest.JSON(http.StatusServiceUnavailable, `{"title":"No more for this plan","retryable":false}`, "Retry-After", "1"),
				Answer: sdktest.JSON(http.StatusOK, "{}"),
			}.Require(t, func(transport http.RoundTripper) func(context.Context) error {
				client := client(transport)
				return func(ctx context.Context) error {
					resp, err := client.R().SetContext(ctx).SetBody(map[string]string{"name": "value"}).Post("http://api.example.com/items")
					if err == nil && resp.IsError() {
						err = errors.New(resp.Status())
					}
					return err
				}
			})
			require.EqualError(t, err, "503 Service Unavailable")
		})
	}
}
