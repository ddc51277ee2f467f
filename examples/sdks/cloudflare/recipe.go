// Package cloudflare is a recipe: the SDK for the Cloudflare API
// (github.com/cloudflare/cloudflare-go, v6) on headway.
package cloudflare

import (
	"context"
	"net/http"

	"github.com/cloudflare/cloudflare-go/v6"
	"github.com/cloudflare/cloudflare-go/v6/option"

	"github.com/headway-go/headway"
)

// New returns a client whose calls keep to the limits that the API tells. transport is a
// *headway.Transport, or something on top of one; keep it for as long as the program runs,
// and share it between clients. options come last and win.
//
//	client := cloudflare.New(os.Getenv("CLOUDFLARE_API_TOKEN"), &headway.Transport{})
//
// Calls are not repeated after a failed connection or a 500, see NewRetrying. How long one
// may take is best said by its context: option.WithRequestTimeout and
// http.Client.Timeout work as well, but what they bound has the wait for a turn in it. A
// call that cannot start in time fails at once with a *headway.LimitError.
func New(token string, transport http.RoundTripper, options ...option.RequestOption) *cloudflare.Client {
	return cloudflare.NewClient(append([]option.RequestOption{
		option.WithAPIToken(token),
		option.WithHTTPClient(&http.Client{Transport: transport}),
		// By default the SDK calls ten times more after any 429 and almost any error, for up to
		// three minutes. A refusal has been sent again below by then, as often as makes sense.
		option.WithMaxRetries(0),
	}, options...)...)
}

// NewRetrying returns a client like that of New, but one that leaves the SDK its retries
// after failed connections and server errors. transport must refuse with responses,
// because the SDK calls again after any error of its transport:
//
//	client := cloudflare.NewRetrying(token, &headway.Transport{Refusal: headway.RefuseWithResponse})
//
// A call that cannot start in time then fails with a *cloudflare.Error for a 429;
// headway.Refused of its Response tells it from a refusal of the server's.
func NewRetrying(token string, transport http.RoundTripper, options ...option.RequestOption) *cloudflare.Client {
	return cloudflare.NewClient(append([]option.RequestOption{
		option.WithAPIToken(token),
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
