package sdks_test

import (
	"context"
	"net/http"
	"testing"

	anthropicsdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/examples/sdks/anthropic"
)

func anthropicRows() []row {
	return stainless[anthropicsdk.Client, option.RequestOption]{
		sdk: "anthropic-sdk-go v1", answer: `{"id":"msg_1","type":"message","role":"assistant","content":[]}`,
		bare: func(base *http.Client) anthropicsdk.Client {
			return anthropicsdk.NewClient(option.WithAPIKey("key"), option.WithHTTPClient(base))
		},
		recipe: anthropic.New, retrying: anthropic.NewRetrying,
		call: func(ctx context.Context, client anthropicsdk.Client) error {
			_, err := client.Messages.New(ctx, anthropicsdk.MessageNewParams{
				Model:     anthropicsdk.ModelClaudeHaiku4_5,
				MaxTokens: 100,
				Messages:  []anthropicsdk.MessageParam{anthropicsdk.NewUserMessage(anthropicsdk.NewTextBlock("Hello"))},
			})
			return err
		},
		timeout: option.WithRequestTimeout,
		response: func(t *testing.T, err error) *http.Response {
			t.Helper()
			var status *anthropicsdk.Error
			require.ErrorAs(t, err, &status)
			require.Equal(t, http.StatusTooManyRequests, status.StatusCode)
			return status.Response
		},
	}.rows()
}
