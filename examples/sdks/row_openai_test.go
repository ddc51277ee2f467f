package sdks_test

import (
	"context"
	"net/http"

	openaisdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/examples/sdks/openai"
)

func openaiRows() []row {
	r := row{sdk: "openai-go v3", answer: `{"id":"chatcmpl-1","object":"chat.completion","choices":[]}`}
	bare, recipe, retrying := r, r, r
	bare.use, bare.client = asItIs, func(transport http.RoundTripper) func(context.Context) error {
		return completing(openaisdk.NewClient(option.WithAPIKey("key"), option.WithHTTPClient(&http.Client{Transport: transport})))
	}
	recipe.use, recipe.client = "`New`", func(transport http.RoundTripper) func(context.Context) error {
		return completing(openai.New("key", transport))
	}
	retrying.use, retrying.client = "`NewRetrying`", func(transport http.RoundTripper) func(context.Context) error {
		return completing(openai.NewRetrying("key", transport))
	}
	retrying.set = refusingWithResponses
	return []row{bare, recipe, retrying}
}

func completing(client openaisdk.Client) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := client.Chat.Completions.New(ctx, openaisdk.ChatCompletionNewParams{
			Model:    openaisdk.ChatModelGPT5_4Mini,
			Messages: []openaisdk.ChatCompletionMessageParamUnion{openaisdk.UserMessage("Hello")},
		})
		return err
	}
}

// refusingWithResponses sets the field that the recipes' NewRetrying needs.
func refusingWithResponses(transport *headway.Transport) {
	transport.Refusal = headway.RefuseWithResponse
}
