package sdks_test

import (
	"context"
	"net/http"

	anthropicsdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/headway-go/headway/examples/sdks/anthropic"
)

func anthropicRows() []row {
	r := row{sdk: "anthropic-sdk-go v1", answer: `{"id":"msg_1","type":"message","role":"assistant","content":[]}`}
	bare, recipe, retrying := r, r, r
	bare.use, bare.client = asItIs, func(transport http.RoundTripper) func(context.Context) error {
		return asking(anthropicsdk.NewClient(option.WithAPIKey("key"), option.WithHTTPClient(&http.Client{Transport: transport})))
	}
	recipe.use, recipe.client = "`New`", func(transport http.RoundTripper) func(context.Context) error {
		return asking(anthropic.New("key", transport))
	}
	retrying.use, retrying.client = "`NewRetrying`", func(transport http.RoundTripper) func(context.Context) error {
		return asking(anthropic.NewRetrying("key", transport))
	}
	retrying.set = refusingWithResponses
	return []row{bare, recipe, retrying}
}

func asking(client anthropicsdk.Client) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := client.Messages.New(ctx, anthropicsdk.MessageNewParams{
			Model:     anthropicsdk.ModelClaudeHaiku4_5,
			MaxTokens: 100,
			Messages:  []anthropicsdk.MessageParam{anthropicsdk.NewUserMessage(anthropicsdk.NewTextBlock("Hello"))},
		})
		return err
	}
}
