package headway

import (
	"context"
	"errors"
	"net/http"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/validate"
)

// CheckRetry returns a policy for hashicorp/go-retryablehttp and others of that form, whose
// client stands above a Transport: a request that the Transport has refused, or sent
// again as often as it may, is not retried, for that would multiply the attempts and
// give no more. About everything else next decides, such as retryablehttp.DefaultRetryPolicy:
//
//	client := retryablehttp.NewClient()
//	client.HTTPClient.Transport = &headway.Transport{}
//	client.CheckRetry = headway.CheckRetry(retryablehttp.DefaultRetryPolicy)
//
// So the Transport alone deals with limits, and the client with broken connections and
// failing servers. Not retried are a *LimitError, and a response that refuses because of a
// limit as a Transport sees it (see RoundTrip), but for Profiles of its own and what only a
// body proves; a 503 only if the request is idempotent, as a Transport sends no other
// again. next must not be nil. The policy is safe for concurrent use if next is.
// Below it there should be neither a Shadow nor negative MaxRetries: then nobody retries.
func CheckRetry(next func(context.Context, *http.Response, error) (bool, error)) func(context.Context, *http.Response, error) (bool, error) {
	return func(ctx context.Context, resp *http.Response, err error) (bool, error) {
		if _, isRefusal := errors.AsType[*LimitError](err); isRefusal || resp != nil && isSettled(resp) {
			return false, nil
		}
		return next(ctx, resp, err)
	}
}

// isSettled reports whether a Transport has done about a response what can be done.
func isSettled(resp *http.Response) bool {
	reading := validate.Response(resp, clock.Wall(), validate.Bounds{})
	return reading.Throttled && (!isOverload(resp.StatusCode) || resp.Request == nil || idempotent(resp.Request))
}
