// Package anthropic is a recipe: the SDK for the Anthropic API
// (github.com/anthropics/anthropic-sdk-go) on headway.
package anthropic

import (
	"context"
	"net/http"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/headway-go/headway"
)

// New returns a client whose calls keep to the limits that the API tells. transport is a
// *headway.Transport, or something on top of one; keep it for as long as the program runs,
// and share it between clients. options come last and win.
//
//	client := anthropic.New(os.Getenv("ANTHROPIC_API_KEY"), &headway.Transport{})
//
// Calls are not repeated after a failed connection or a 500, see NewRetrying. How long one
// may take is best said by its context. option.WithRequestTimeout has the wait for a turn in
// it, and so have the ten minutes that the SDK gives a call that does not stream if nothing
// else is said. A call that cannot start in time fails at once with a *headway.LimitError.
//
// What a call will use of the limits on tokens is learned from the answers. To say it
// beforehand, give the call a context of headway.WithCost(ctx, "output-tokens", estimate),
// and the same for "input-tokens" and "tokens".
func New(key string, transport http.RoundTripper, options ...option.RequestOption) anthropic.Client {
	return anthropic.NewClient(append([]option.RequestOption{
		option.WithAPIKey(key),
		option.WithHTTPClient(&http.Client{Transport: transport}),
		// By default the SDK calls twice more after any error and any 429. A refusal has been
		// sent again below by then, as often as makes sense.
		option.WithMaxRetries(0),
	}, options...)...)
}

// NewRetrying returns a client like that of New, but one that leaves the SDK its retries
// after failed connections and server errors. transport must refuse with responses,
// because the SDK calls again after any error of its transport:
//
//	client := anthropic.NewRetrying(key, &headway.Transport{Refusal: headway.RefuseWithResponse})
//
// A call that cannot start in time then fails with an *anthropic.Error for a 429;
// headway.Refused of its Response tells it from a refusal of the server's.
func NewRetrying(key string, transport http.RoundTripper, options ...option.RequestOption) anthropic.Client {
	return anthropic.NewClient(append([]option.RequestOption{
		option.WithAPIKey(key),
		option.WithHTTPClient(&http.Client{Transport: transport}),
		option.WithMiddleware(leaveRefusals),
	}, options...)...)
}

// leaveRefusals tells the SDK, in the field that it goes by, not to call again after what
// headway has refused, or has sent again as often as it may. Of all else the SDK decides.
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
