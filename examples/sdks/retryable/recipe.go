// Package retryable is a recipe for using headway with github.com/hashicorp/go-retryablehttp.
package retryable

import (
	"net/http"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/headway-go/headway"
)

// New returns a client that retries after failed connections and server errors as usual, and leaves refusals
// because of a limit to headway. transport is a *headway.Transport, or a layer on top of one. Keep it for as
// long as the program runs, and share it between clients.
//
//	client := retryable.New(&headway.Transport{})
//
// To bound a call with all its retries, set a deadline on its request's context. HTTPClient.Timeout bounds
// each attempt, including its wait in headway's queue. An attempt that cannot be sent before the deadline
// fails at once, and the call with it: errors.As finds a *headway.LimitError in the error.
//
// A refusal comes back as a response. headway.VerdictOf tells one that waiting helps from one for good, as of an
// account without money, which the client does not repeat.
func New(transport http.RoundTripper) *retryablehttp.Client {
	client := retryablehttp.NewClient()
	client.HTTPClient = &http.Client{Transport: transport}

	// The default policy retries after any error and any 429. By then headway has sent a refused request
	// again, paced with all other requests.
	client.CheckRetry = headway.CheckRetry(retryablehttp.DefaultRetryPolicy) //nolint:bodyclose // a policy does not close bodies

	client.Logger = nil // or your own: the default prints every request
	return client
}
