package sdks_test

import (
	"context"
	"net/http"

	genaisdk "google.golang.org/genai"
	"google.golang.org/genai/interactions/models/operations"

	"github.com/headway-go/headway/examples/sdks/genai"
)

func genaiRows() []row {
	configured := func(transport http.RoundTripper) *genaisdk.ClientConfig {
		return &genaisdk.ClientConfig{APIKey: "key", Backend: genaisdk.BackendGeminiAPI, HTTPClient: &http.Client{Transport: transport}}
	}
	r := row{sdk: "genai v1", answer: `{"candidates":[{"content":{"role":"model","parts":[{"text":"Hello!"}]}}]}`}
	bare, retrying, recipe := r, r, r
	bare.use, bare.client = asItIs, func(transport http.RoundTripper) func(context.Context) error {
		return generating(configured(transport))
	}
	retrying.sdk += ", `RetryOptions`"
	retrying.use, retrying.client = asItIs, func(transport http.RoundTripper) func(context.Context) error {
		config := configured(transport)
		config.HTTPOptions.RetryOptions = &genaisdk.HTTPRetryOptions{}
		return generating(config)
	}
	recipe.use, recipe.client = "`Config`", func(transport http.RoundTripper) func(context.Context) error {
		return generating(genai.Config(&genaisdk.ClientConfig{APIKey: "key", Backend: genaisdk.BackendGeminiAPI}, transport))
	}

	i := row{sdk: "genai v1, `Interactions`", answer: `{"id":"1","object":"interaction","status":"completed"}`}
	repeating, once := i, i
	repeating.use, repeating.client = asItIs, func(transport http.RoundTripper) func(context.Context) error {
		return gettingInteraction(configured(transport))
	}
	once.use, once.client = "`Once`", func(transport http.RoundTripper) func(context.Context) error {
		return gettingInteraction(configured(transport), genai.Once())
	}
	return []row{bare, retrying, recipe, repeating, once}
}

func generating(config *genaisdk.ClientConfig) func(context.Context) error {
	return func(ctx context.Context) error {
		client, err := genaisdk.NewClient(ctx, config)
		if err != nil {
			return err
		}
		_, err = client.Models.GenerateContent(ctx, "gemini-2.5-flash", genaisdk.Text("Hello"), nil)
		return err
	}
}

func gettingInteraction(config *genaisdk.ClientConfig, options ...operations.Option) func(context.Context) error {
	return func(ctx context.Context) error {
		client, err := genaisdk.NewClient(ctx, config)
		if err != nil {
			return err
		}
		_, err = client.Interactions.Get(ctx, operations.GetInteractionByIDRequest{ID: "1"}, options...)
		return err
	}
}
