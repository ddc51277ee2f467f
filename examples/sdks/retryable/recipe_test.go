package retryable_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
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

// post makes one call, and returns the status of the response.
func post(ctx context.Context, client *retryablehttp.Client, url string) (int, error) {
	req, err := retryablehttp.NewRequestWithContext(ctx, http.MethodPost, url, []byte(`{"data":{}}`))
	if err != nil {
		return 0, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

// posted makes one call, which must succeed.
func posted(ctx context.Context, client *retryablehttp.Client, url string) error {
	status, err := post(ctx, client, url)
	if err == nil && status != http.StatusOK {
		err = errors.New(http.StatusText(status))
	}
	return err
}

const somewhere = "https://api.example.com/runs"

// Twice as many calls as a window allows all succeed, and none is refused.
func TestRecipe(t *testing.T) {
	api := sdktest.Serve(t, nil, nil)
	limits(api.Handler, 30, time.Second)
	calls := &sdktest.Counter{Base: &headway.Transport{}}
	client := retryable.New(calls)

	sdktest.Crowd{Calls: 60, Workers: 8}.RequireServed(t, calls, func(ctx context.Context) error {
		return posted(ctx, client, api.URL)
	}, api.Handler)
}

// After the last resend by headway, the call returns the server's last response unchanged. The client does
// not replace it with an error that says only that it gave up.
func TestRefusedForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h ratelimittest.Handler
		limits(&h, 0, time.Second)
		calls := &sdktest.Counter{Base: &headway.Transport{Base: &ratelimittest.Transport{Handler: &h}}}
		status, err := post(t.Context(), retryable.New(calls), somewhere)
		require.NoError(t, err)
		require.Equal(t, http.StatusTooManyRequests, status)
		require.Equal(t, 1, calls.Calls())
		require.Len(t, h.Arrivals(), 1+headway.DefaultMaxRetries)
	})
}

// The client retries after failures that are not limits: a failing server, a broken connection.
func TestFailures(t *testing.T) {
	for _, row := range []struct {
		name  string
		fault ratelimittest.Fault
	}{
		{"500", ratelimittest.Fault{Status: http.StatusInternalServerError}},
		{"connection", ratelimittest.Fault{Drop: true}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ok := sdktest.JSON(http.StatusOK, runs)
				network := &ratelimittest.Transport{Handler: sdktest.First(2, row.fault.Wrap(ok), ok)}
				calls := &sdktest.Counter{Base: &headway.Transport{Base: network}}
				status, err := post(t.Context(), retryable.New(calls), somewhere)
				require.NoError(t, err)
				require.Equal(t, http.StatusOK, status)
				require.Equal(t, 3, calls.Calls())
			})
		})
	}
}
