package retryable_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/examples/sdks/internal/sdktest"
	"github.com/headway-go/headway/examples/sdks/retryable"
)

const runs = `{"data":[{"id":"run-1","type":"runs"}]}`

// post makes one call, which must succeed.
func post(ctx context.Context, client *retryablehttp.Client, url string) error {
	req, err := retryablehttp.NewRequestWithContext(ctx, http.MethodPost, url, []byte(`{"data":{}}`))
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s, %s", resp.Status, headway.VerdictOf(resp))
	}
	return errors.Join(err, resp.Body.Close())
}

// headway waits out a limit. What no waiting helps comes back as it is, also with a status after which the client retries.
func TestVerdicts(t *testing.T) {
	for status, body := range map[int]string{
		http.StatusTooManyRequests:    `{"error":{"code":"insufficient_quota"}}`,
		http.StatusServiceUnavailable: `{"title":"No more for this plan","retryable":false}`,
	} {
		err := sdktest.Verdicts{
			Wait:   sdktest.JSON(http.StatusTooManyRequests, `{"retry_after":0.25}`),
			Hold:   250 * time.Millisecond,
			Never:  sdktest.JSON(status, body, "Retry-After", "1"),
			Answer: sdktest.JSON(http.StatusOK, runs),
		}.Require(t, func(transport http.RoundTripper) func(context.Context) error {
			client := retryable.New(transport)
			return func(ctx context.Context) error { return post(ctx, client, "http://api.example.com") }
		})
		require.EqualError(t, err, fmt.Sprintf("%d %s, never", status, http.StatusText(status)))
	}
}
