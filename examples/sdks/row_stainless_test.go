package sdks_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/headway-go/headway"
)

// A stainless is an SDK that Stainless has generated. They retry alike, and have the same recipe. C is the
// SDK's client, and O is an option for it.
type stainless[C, O any] struct {
	sdk, answer string
	bare        func(*http.Client) C // the SDK with its own defaults
	recipe      func(key string, transport http.RoundTripper, options ...O) C
	retrying    func(key string, transport http.RoundTripper, options ...O) C
	call        func(context.Context, C) error
	timeout     func(time.Duration) O
	response    func(*testing.T, error) *http.Response
}

func (s stainless[C, O]) rows() []row {
	made := func(use string, client func(http.RoundTripper) C) row {
		return row{sdk: s.sdk, use: use, answer: s.answer, response: s.response, client: func(transport http.RoundTripper) func(context.Context) error {
			made := client(transport)
			return func(ctx context.Context) error { return s.call(ctx, made) }
		}}
	}
	retrying := made("`NewRetrying`", func(transport http.RoundTripper) C { return s.retrying("key", transport) })
	retrying.set = func(transport *headway.Transport) { transport.Refusal = headway.RefuseWithResponse }
	recipe := made("`New`", func(transport http.RoundTripper) C { return s.recipe("key", transport) })
	recipe.timed = made("", func(transport http.RoundTripper) C { return s.recipe("key", transport, s.timeout(patience)) }).client
	return []row{
		made(asItIs, func(transport http.RoundTripper) C { return s.bare(&http.Client{Transport: transport}) }),
		recipe,
		retrying,
	}
}
