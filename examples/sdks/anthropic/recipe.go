// Package anthropic is a recipe for using headway with the SDK for the Anthropic API
// (github.com/anthropics/anthropic-sdk-go).
package anthropic

import (
	"context"
	"net/http"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/headway-go/headway"
)

// New returns a client whose calls stay within the limits that the API reports. transport is a
// *headway.Transport, or a layer on top of one. Keep it for as long as the program runs, and share it between
// clients. options are applied last, so they take precedence.
//
//	client := anthropic.New(os.Getenv("ANTHROPIC_API_KEY"), &headway.Transport{})
//
// The client does not retry after a failed connection or a 500, see NewRetrying.
//
// To bound a call, set a deadline on its context. option.WithRequestTimeout includes the wait in headway's
// queue. So do the ten minutes by which the SDK bounds a call without streaming by default. A call that
// cannot be sent before its deadline fails at once with a *headway.LimitError.
//
// A refusal for good, such as that of an account whose money for the month is spent, fails the call at
// once, with an *anthropic.Error. Its Response tells that from a limit: headway.VerdictOf returns
// validate.VerdictNever.
//
// headway learns from the responses how many tokens a call uses. To give an estimate beforehand, use the
// context headway.WithCost(ctx, "output-tokens", estimate). The units "input-tokens" and "tokens" work in the
// same way.
func New(key string, transport http.RoundTripper, options ...option.RequestOption) anthropic.Client {
	return anthropic.NewClient(append([]option.RequestOption{
		option.WithAPIKey(key),
		option.WithHTTPClient(&http.Client{Transport: transport}),
		// By default the SDK retries twice after any error and any 429. By then headway has sent a refused
		// request again, as often as makes sense.
		option.WithMaxRetries(0),
	}, options...)...)
}

// NewRetrying is like New, but the SDK keeps its retries after failed connections and server errors.
// transport must refuse with responses, because the SDK retries after any error of its transport:
//
//	client := anthropic.NewRetrying(key, &headway.Transport{Refusal: headway.RefuseWithResponse})
//
// A call that cannot be sent before its deadline then fails with an *anthropic.Error with status 429.
// headway.Refused, called with its Response, reports whether headway or the server has refused. headway.VerdictOf
// takes a refusal without Retry-After for one for good: the Response has the field that keeps the SDK from retrying.
func NewRetrying(key string, transport http.RoundTripper, options ...option.RequestOption) anthropic.Client {
	return anthropic.NewClient(append([]option.RequestOption{
		option.WithAPIKey(key),
		option.WithHTTPClient(&http.Client{Transport: transport}),
		option.WithMiddleware(leaveRefusals),
	}, options...)...)
}

// leaveRefusals sets the field by which the SDK does not retry, if headway has refused the request, or has
// sent it again as often as it may. The SDK decides on all other responses.
func leaveRefusals(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	resp, err := next(req)
	if resp == nil {
		return nil, err
	}
	if again, _ := headway.CheckRetry(always)(req.Context(), resp, err); !again {
		resp.Header.Set("X-Should-Retry", "false")
	}
	return resp, err
}

func always(context.Context, *http.Response, error) (bool, error) { return true, nil }
