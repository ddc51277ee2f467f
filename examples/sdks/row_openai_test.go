package sdks_test

import (
	"context"
	"net/http"
	"testing"

	openaisdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/examples/sdks/openai"
)

func openaiRows() []row {
	return stainless[openaisdk.Client, option.RequestOption]{
		sdk: "openai-go v3", answer: `{"id":"chatcmpl-1","object":"chat.completion","choices":[]}`,
		bare: func(base *http.Client) openaisdk.Client {
			return openaisdk.NewClient(option.WithAPIKey("key"), option.WithHTTPClient(base))
		},
		recipe: openai.New, retrying: openai.NewRetrying,
		call: func(ctx context.Context, client openaisdk.Client) error {
			_, err := client.Chat.Completions.New(ctx, openaisdk.ChatCompletionNewParams{
				Model:    openaisdk.ChatModelGPT5_4Mini,
				Messages: []openaisdk.ChatCompletionMessageParamUnion{openaisdk.UserMessage("Hello")},
			})
			return err
		},
		timeout: option.WithRequestTimeout,
		response: func(t *testing.T, err error) *http.Response {
			t.Helper()
			var status *openaisdk.Error
			require.ErrorAs(t, err, &status)
			require.Equal(t, http.StatusTooManyRequests, status.StatusCode)
			return status.Response
		},
	}.rows()
}
