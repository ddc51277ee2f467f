package sdks_test

import (
	"context"
	"net/http"
	"slices"
	"testing"

	"github.com/headway-go/headway"
)

// A row of the table is a client made of an SDK in one way.
//
// To add an SDK, write row_<sdk>_test.go with a function that returns its rows. The first row has the SDK's
// own defaults (use: asItIs). Add the function to rows below. Then go test -run TestCalls -update . writes
// the table of README.md again.
type row struct {
	sdk string // with its major version
	use string // how the client is made: asItIs, or the function of the SDK's recipe

	// client makes a client that sends through transport. It returns a function that makes one user call,
	// always with the same request. It runs in a synctest bubble, without a network.
	client func(transport http.RoundTripper) (call func(context.Context) error)

	// timed is client with a timeout of the SDK, patience; nil: it has none that a recipe names.
	timed func(transport http.RoundTripper) (call func(context.Context) error)

	// answer is the JSON body with which a call succeeds.
	answer string

	// set sets the fields of headway's Transport that the recipe needs; nil: none.
	set func(*headway.Transport)

	// response returns the response that the SDK's error for a status has; nil: it has none.
	response func(*testing.T, error) *http.Response
}

// asItIs is the use of a client with headway as its transport, and without a recipe.
const asItIs = "as it is"

// rows returns the table's rows, ordered by the names of the SDKs.
func rows() []row {
	return slices.Concat(
		anthropicRows(),
		clientgoRows(),
		cloudflareRows(),
		genaiRows(),
		gogithubRows(),
		retryableRows(),
		googleapiRows(),
		openaiRows(),
		restyRows(),
		slackRows(),
	)
}
