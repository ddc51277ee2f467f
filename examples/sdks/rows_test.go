package sdks_test

import (
	"context"
	"net/http"
	"slices"

	"github.com/headway-go/headway"
)

// A row of the table is a client made of an SDK in one way.
//
// To add an SDK: write row_<sdk>_test.go with a function that returns its rows, the one
// with the SDK's own defaults first (use: asItIs), and name that function in rows below.
// Then go test -run TestCalls -update . writes the table of README.md anew.
type row struct {
	sdk string // and its major version
	use string // how the client is made: asItIs, or what is called in the SDK's recipe

	// client makes the client, whose calls go through transport, and returns one user call:
	// the same request each time. It runs in a bubble of testing/synctest, without a network.
	client func(transport http.RoundTripper) (call func(context.Context) error)

	// answer is the body that makes a call succeed, in JSON.
	answer string

	// set sets the fields of headway's Transport that the recipe asks for. nil: none.
	set func(*headway.Transport)
}

// asItIs is the use of a client that has headway for its transport, and nothing else.
const asItIs = "as it is"

// rows returns the table's rows, ordered by the SDKs' names.
func rows() []row {
	return slices.Concat(
		anthropicRows(),
		clientgoRows(),
		cloudflareRows(),
		gogithubRows(),
		retryableRows(),
		openaiRows(),
		slackRows(),
	)
}
