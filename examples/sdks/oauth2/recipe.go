// Package oauth2 is a recipe for using headway with OAuth 2 tokens (golang.org/x/oauth2).
package oauth2

import (
	"context"
	"net/http"
	"time"

	"golang.org/x/oauth2"

	"github.com/headway-go/headway"
)

// Transport returns a headway.Transport whose requests get a token of source when they are sent. base sends
// them; nil is http.DefaultTransport. Keep one for each source for as long as the program runs. Its fields
// may be set before first use.
//
//	config := &clientcredentials.Config{...}
//	source := config.TokenSource(oauth2.Tokens(ctx, nil))
//	client := &http.Client{Transport: oauth2.Transport(source, nil)}
//
// headway is on top of oauth2.Transport. So a request that has waited gets a token that is valid when it is
// sent, and what headway has learned outlives a token. With headway below, neither holds. oauth2.NewClient
// and oauth2.Config.Client put headway below, if it is in their context's client. That is as good if tokens
// never expire. It also lets many users share one headway.Transport, which paces each token separately.
func Transport(source oauth2.TokenSource, base http.RoundTripper) *headway.Transport {
	return &headway.Transport{Base: &oauth2.Transport{Source: oauth2.ReuseTokenSource(nil, source), Base: base}}
}

// Tokens returns a context for making a source of tokens, such as oauth2.Config.TokenSource. The source then
// asks for tokens through a headway.Transport of its own. base sends these requests; nil is
// http.DefaultTransport.
//
// While a token is fetched, all requests wait for it, even if their contexts end. So fetching takes ten
// seconds at most, including waits for limits. What would take longer fails at once.
//
// Set AuthStyle of the endpoint. Otherwise the source tries both styles, and asks twice if the first response
// is a refusal.
func Tokens(ctx context.Context, base http.RoundTripper) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, &http.Client{
		Transport: &headway.Transport{Base: base},
		Timeout:   10 * time.Second,
	})
}
