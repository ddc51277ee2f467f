// Package cloudflare is a recipe for using headway with the SDK for the Cloudflare API
// (github.com/cloudflare/cloudflare-go, v6).
package cloudflare

import (
	"context"
	"net/http"

	"github.com/cloudflare/cloudflare-go/v6"
	"github.com/cloudflare/cloudflare-go/v6/option"

	"github.com/headway-go/headway"
)

// New returns a client whose calls stay within the limits that the API reports. transport is a
// *headway.Transport, or a layer on top of one. Keep it for as long as the program runs, and share it between
// clients. options are applied last, so they take precedence.
//
//	client := cloudflare.New(os.Getenv("CLOUDFLARE_API_TOKEN"), &headway.Transport{})
//
// The client does not retry after a failed connection or a 500, see NewRetrying.
//
// To bound a call, set a deadline on its context. option.WithRequestTimeout and http.Client.Timeout work as
// well, and include the wait in headway's queue. A call that cannot be sent before its deadline fails at once
// with a *headway.LimitError.
func New(token string, transport http.RoundTripper, options ...option.RequestOption) *cloudflare.Client {
	return cloudflare.NewClient(append([]option.RequestOption{
		option.WithAPIToken(token),
		option.WithHTTPClient(&http.Client{Transport: transport}),
		// By default the SDK retries ten times after any 429 and almost any error, for up to three minutes.
		// By then headway has sent a refused request again, as often as makes sense.
		option.WithMaxRetries(0),
	}, options...)...)
}

// NewRetrying is like New, but the SDK keeps its retries after failed connections and server errors.
// transport must refuse with responses, because the SDK retries after any error of its transport:
//
//	client := cloudflare.NewRetrying(token, &headway.Transport{Refusal: headway.RefuseWithResponse})
//
// A call that cannot be sent before its deadline then fails with a *cloudflare.Error with status 429.
// headway.Refused, called with its Response, reports whether headway or the server has refused.
func NewRetrying(token string, transport http.RoundTripper, options ...option.RequestOption) *cloudflare.Client {
	return cloudflare.NewClient(append([]option.RequestOption{
		option.WithAPIToken(token),
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
