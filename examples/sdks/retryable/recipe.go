// Package retryable is a recipe: github.com/hashicorp/go-retryablehttp on headway.
package retryable

import (
	"net/http"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/headway-go/headway"
)

// New returns a client that calls again after failed connections and server errors, as
// always, and leaves refusals because of a limit to headway. transport is a
// *headway.Transport, or something on top of one; keep it for as long as the program runs,
// and share it between clients.
//
//	client := retryable.New(&headway.Transport{})
//
// How long a call may take, retries and all, is said by its request's context.
// HTTPClient.Timeout is for each attempt, with its wait for a turn in it. An attempt that
// cannot start in time fails at once, and with it the call: errors.As finds a
// *headway.LimitError in its error.
func New(transport http.RoundTripper) *retryablehttp.Client {
	client := retryablehttp.NewClient()
	client.HTTPClient = &http.Client{Transport: transport}

	// The default policy calls again after any error and any 429. A refusal has been sent
	// again below by then, for all requests together.
	client.CheckRetry = headway.CheckRetry(retryablehttp.DefaultRetryPolicy) //nolint:bodyclose // A policy leaves bodies alone.

	client.Logger = nil // or your own: the default prints every request
	return client
}
