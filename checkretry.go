package headway

import (
	"context"
	"errors"
	"net/http"
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
// failing servers. Not retried are a *LimitError, any 429 ([RefuseWithResponse] makes one, too), and a
// 503 with Retry-After to an idempotent request; others a Transport does not resend. next
// must not be nil. The policy is safe for concurrent use if next is.
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
	switch resp.StatusCode {
	case http.StatusTooManyRequests:
		return true
	case http.StatusServiceUnavailable:
		_, told := resp.Header["Retry-After"]
		return told && (resp.Request == nil || idempotent(resp.Request))
	}
	return false
}
