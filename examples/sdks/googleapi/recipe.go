// Package googleapi is a recipe for using headway with Google's SDKs for its older APIs (google.golang.org/api), and with
// others that are made of them.
package googleapi

import (
	"context"
	"errors"
	"net/http"

	"google.golang.org/api/drive/v3"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
	htransport "google.golang.org/api/transport/http"

	"github.com/headway-go/headway"
)

// New returns a client for Google Drive that waits for the limits per minute. Those of other services are made in the same
// way, with their own NewService. transport is a *headway.Transport, or a layer on top of one. Keep it for as long as the
// program runs, and share it between clients. options are applied last, so they take precedence.
//
//	transport, err := googleapi.Transport(ctx, http.DefaultTransport, option.WithScopes(drive.DriveReadonlyScope))
//	files, err := googleapi.New(ctx, transport)
//
// To bound a call, set a deadline on its context, with the method Context of the call. A call that cannot be sent before
// its deadline fails at once: errors.As finds a *headway.LimitError.
//
// The SDK calls once, but for
//   - uploads by Media in chunks: it sends a chunk again for up to 32 s after a 429 or 5xx. With googleapi.ChunkSize(0) there
//     are no chunks, and one call.
//   - Cloud Storage's own client, see LeaveRefusals.
//
// headway cannot send Create and Update of a file without Media again: the SDK does not say how (Request.GetBody). The call
// fails with the refusal, and those after it wait.
//
// A quota of the day is a refusal for good: the call fails at once, and Errors[0].Reason of the *googleapi.Error says so.
func New(ctx context.Context, transport http.RoundTripper, options ...option.ClientOption) (*drive.Service, error) {
	return drive.NewService(ctx, append([]option.ClientOption{option.WithHTTPClient(&http.Client{Transport: transport})}, options...)...)
}

// Transport returns a headway.Transport whose requests get the credentials of options when they are sent: an SDK that has an
// HTTP client ignores them. Without an option for credentials they are the application default ones, and need
// option.WithScopes. base sends the requests.
//
// headway is on top. So a request that has waited gets a token that is valid when it is sent. Keep a Transport for each user.
func Transport(ctx context.Context, base http.RoundTripper, options ...option.ClientOption) (*headway.Transport, error) {
	credentials, err := htransport.NewTransport(ctx, base, options...)
	if err != nil {
		return nil, err
	}
	return &headway.Transport{Base: credentials}, nil
}

// LeaveRefusals returns a function by which cloud.google.com/go/storage retries what next does, but no 429. By default it
// sends again after any 429 and 5xx for as long as the call's context lasts, without an end if it has none. By then headway
// has sent a refused request again, as often as makes sense.
//
//	client, err := storage.NewClient(ctx, option.WithHTTPClient(&http.Client{Transport: transport}))
//	client.SetRetry(storage.WithErrorFunc(googleapi.LeaveRefusals(storage.ShouldRetry)))
func LeaveRefusals(next func(error) bool) func(error) bool {
	return func(err error) bool {
		refusal, ok := errors.AsType[*googleapi.Error](err)
		return (!ok || refusal.Code != http.StatusTooManyRequests) && next(err)
	}
}
