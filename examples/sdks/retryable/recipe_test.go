package retryable_test

import (
	"context"
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
	h.Limiter, h.Dialect = ratelimittest.NewFixedWindow(requests, window), ratelimittest.XRateLimitDelta
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

const somewhere = "https://api.example.com/runs"

// Twice as many calls as a window allows all succeed, and none is refused.
func TestRecipe(t *testing.T) {
	api := sdktest.Serve(t, nil, nil)
	limits(api.Handler, 30, time.Second)
	calls := &sdktest.Counter{Base: &headway.Transport{}}
	client := retryable.New(calls)

	outcomes := ratelimittest.Batch{Requests: 60, Workers: 8}.Do(t.Context(), func(ctx context.Context) (int, error) {
		return post(ctx, client, api.URL)
	})
	require.Len(t, outcomes, 60)
	for _, o := range outcomes {
		require.NoError(t, o.Err)
		require.Equal(t, http.StatusOK, o.Status)
	}
	require.Len(t, api.Handler.Log.Arrivals(), 60)
	require.Empty(t, api.Handler.Log.Arrivals().Refused())
	require.Equal(t, 60, calls.Calls())
}

// Only headway sends a refused call again, once and with its body.
func TestSingleRetryOwner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refusal := sdktest.JSON(http.StatusTooManyRequests, "{}",
			"Retry-After", "2", "X-Ratelimit-Limit", "30", "X-Ratelimit-Remaining", "0", "X-Ratelimit-Reset", "1.5")
		var bodies []string
		network := &ratelimittest.Transport{
			Handler: sdktest.Bodies(&bodies, sdktest.First(1, refusal, sdktest.JSON(http.StatusCreated, runs))),
		}
		calls := &sdktest.Counter{Base: &headway.Transport{Base: network}}
		begun := time.Now()
		status, err := post(t.Context(), retryable.New(calls), somewhere)
		require.NoError(t, err)
		require.Equal(t, http.StatusCreated, status)
		require.Equal(t, 1, calls.Calls())
		require.Equal(t, []string{`{"data":{}}`, `{"data":{}}`}, bodies)
		require.GreaterOrEqual(t, time.Since(begun), 2*time.Second)
	})
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
		require.Len(t, h.Log.Arrivals(), 1+headway.DefaultMaxRetries)
	})
}

// A refusal by headway itself is not retried, and says when the request could be sent.
func TestOwnRefusal(t *testing.T) {
	for _, row := range []struct {
		name              string
		maxWait, deadline time.Duration
		is                error
	}{
		{name: "MaxWait", maxWait: 5 * time.Second, is: headway.ErrMaxWait},
		{name: "deadline", deadline: 5 * time.Second, is: context.DeadlineExceeded},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var h ratelimittest.Handler
				limits(&h, 1, 10*time.Minute)
				calls := &sdktest.Counter{Base: &headway.Transport{Base: &ratelimittest.Transport{Handler: &h}, MaxWait: row.maxWait}}
				client := retryable.New(calls)
				client.HTTPClient.Timeout = row.deadline
				_, err := post(t.Context(), client, somewhere)
				require.NoError(t, err)

				begun := time.Now()
				_, err = post(t.Context(), client, somewhere)
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

// The client retries after failures that are not limits: a failing server, a broken connection.
func TestFailures(t *testing.T) {
	for _, row := range []struct {
		name  string
		fault ratelimittest.Fault
	}{
		{"500", func(http.Handler) http.Handler { return sdktest.JSON(http.StatusInternalServerError, "{}") }},
		{"connection", ratelimittest.Drop()},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ok := sdktest.JSON(http.StatusOK, runs)
				network := &ratelimittest.Transport{Handler: sdktest.First(2, row.fault(ok), ok)}
				calls := &sdktest.Counter{Base: &headway.Transport{Base: network}}
				status, err := post(t.Context(), retryable.New(calls), somewhere)
				require.NoError(t, err)
				require.Equal(t, http.StatusOK, status)
				require.Equal(t, 3, calls.Calls())
			})
		})
	}
}
