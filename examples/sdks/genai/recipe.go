// Package genai is a recipe for using headway with the SDK for Gemini (google.golang.org/genai).
package genai

import (
	"net/http"

	"google.golang.org/genai"
	"google.golang.org/genai/interactions/models/operations"
	"google.golang.org/genai/interactions/retry"
)

// Config returns a copy of config for clients whose calls wait for the limits per minute. transport is a *headway.Transport,
// or a layer on top of one. Keep it for as long as the program runs, and share it between clients.
//
//	client, err := genai.NewClient(ctx, recipe.Config(&genai.ClientConfig{APIKey: key}, &headway.Transport{}))
//
// To bound a call, set a deadline on its context, or HTTPOptions.Timeout, which includes the wait in headway's queue. A call
// that cannot be sent before its deadline fails at once: errors.As finds a *headway.LimitError.
//
// A quota of the day is a refusal for good: the call fails at once, and Details of the genai.APIError have the quotaId.
//
// A client with an HTTP client gets no credentials from the SDK but its APIKey. For others call UseDefaultCredentials of the
// config that Config returns.
func Config(config *genai.ClientConfig, transport http.RoundTripper) *genai.ClientConfig {
	c := *config
	c.HTTPClient = &http.Client{Transport: transport}
	// With RetryOptions the SDK calls up to five times, after any error and any 429. By then headway has sent a refused
	// request again, as often as makes sense.
	c.HTTPOptions.RetryOptions = nil
	return &c
}

// Once is for calls of client.Interactions, Agents and others that package interactions has. By default it calls four times
// more after any 429, whatever RetryOptions are.
//
//	client.Interactions.Create(ctx, request, recipe.Once())
func Once() operations.Option { return operations.WithRetries(retry.Config{Strategy: "none"}) }
