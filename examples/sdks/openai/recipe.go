// Package openai is a recipe for using headway with the SDK for the OpenAI API (github.com/openai/openai-go).
package openai

import (
	"context"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/headway-go/headway"
)

// New returns a client whose calls stay within the limits that the API reports. transport is a
// *headway.Transport, or a layer on top of one. Keep it for as long as the program runs, and share it between
// clients. options are applied last, so they take precedence.
//
//	client := openai.New(os.Getenv("OPENAI_API_KEY"), &headway.Transport{})
//
// The client does not retry after a failed connection or a 500, see NewRetrying.
//
// To bound a call, set a deadline on its context. option.WithRequestTimeout and http.Client.Timeout work as
// well, and include the wait in headway's queue. A call that cannot be sent before its deadline fails at once
// with a *headway.LimitError.
//
// A refusal for good, such as that of an account without money, or of a request that alone is larger than the limit, fails the call at
// once, with an *openai.Error. Its Response tells that from a limit: headway.VerdictOf returns
// validate.VerdictNever.
//
// headway learns from the responses how many tokens a call uses. To give an estimate beforehand, use the
// context headway.WithCost(ctx, "tokens", estimate).
func New(key string, transport http.RoundTripper, options ...option.RequestOption) openai.Client {
	return openai.NewClient(append([]option.RequestOption{
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
//	client := openai.NewRetrying(key, &headway.Transport{Refusal: headway.RefuseWithResponse})
//
// A call that cannot be sent before its deadline then fails with an *openai.Error with status 429.
// headway.Refused, called with its Response, reports whether headway or the server has refused. headway.VerdictOf
// takes a refusal without Retry-After for one for good: the Response has the field that keeps the SDK from retrying.
func NewRetrying(key string, transport http.RoundTripper, options ...option.RequestOption) openai.Client {
	return openai.NewClient(append([]option.RequestOption{
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
