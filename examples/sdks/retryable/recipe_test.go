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
	"github.com/headway-go/headway/ratelimittest"
)

const runs = `{"data":[{"id":"run-1","type":"runs"}]}`

// limits makes h an API with that many requests per window. It reports the limit as HCP Terraform does, whose
// SDK uses go-retryablehttp.
func limits(h *ratelimittest.Handler, requests int64, window time.Duration) {
	h.Limiter, h.Dialect = &ratelimittest.FixedWindow{Policy: ratelimittest.Per(requests, window)}, ratelimittest.Fields("X-RateLimit-Limit: {limit}", "X-RateLimit-Remaining: {remaining}", "X-RateLimit-Reset: {reset}")
	h.Refuse = sdktest.JSON(http.StatusTooManyRequests, `{"errors":[{"status":"429","title":"too many requests"}]}`)
	h.Next = sdktest.JSON(http.StatusOK, runs)
}

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

// Twice as many calls as a window allows all succeed, and none is refused.
func TestRecipe(t *testing.T) {
	api := sdktest.Serve(t, nil, nil)
	limits(api.Handler, 30, time.Second)
	calls := &sdktest.Counter{Base: &headway.Transport{}}
	client := retryable.New(calls)

	sdktest.Crowd{Calls: 60, Workers: 8}.RequireServed(t, calls, func(ctx context.Context) error {
		return post(ctx, client, api.URL)
	}, api.Handler)
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
