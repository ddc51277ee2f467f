// Package oauth2 is a recipe: tokens of OAuth 2 (golang.org/x/oauth2) and headway.
package oauth2

import (
	"context"
	"net/http"
	"time"

	"golang.org/x/oauth2"

	"github.com/headway-go/headway"
)

// Transport returns a headway.Transport whose requests get a token of source when they go.
// base sends them; nil is http.DefaultTransport. Keep one for each source for as long as
// the program runs. Its fields may be set before first use.
//
//	config := &clientcredentials.Config{...}
//	source := config.TokenSource(oauth2.Tokens(ctx, nil))
//	client := &http.Client{Transport: oauth2.Transport(source, nil)}
//
// headway is on top of oauth2.Transport, so that a request that has waited, for its turn or
// for the end of a hold, has a token of the moment at which it is sent, and limits outlive
// the token that they were told to. Both would be lost with headway below, which is where
// oauth2.NewClient and oauth2.Config.Client put it, if it is in their context's client. For
// tokens that never expire that is as good, and lets many users share one
// headway.Transport, which tells them apart by their tokens.
func Transport(source oauth2.TokenSource, base http.RoundTripper) *headway.Transport {
	return &headway.Transport{Base: &oauth2.Transport{Source: oauth2.ReuseTokenSource(nil, source), Base: base}}
}

// Tokens returns a context for making a source of tokens, such as
// oauth2.Config.TokenSource, which are then asked for through a headway.Transport of their
// own. base sends these requests; nil is http.DefaultTransport.
//
// While a token is being fetched all requests wait for it, and none of their contexts ends
// that wait. So it takes ten seconds at most, waits for limits included; what cannot be done
// in that time fails at once.
//
// Set AuthStyle of the endpoint. A source that has to find it out asks twice where the first
// answer is a refusal.
func Tokens(ctx context.Context, base http.RoundTripper) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, &http.Client{
		Transport: &headway.Transport{Base: base},
		Timeout:   10 * time.Second,
	})
}
