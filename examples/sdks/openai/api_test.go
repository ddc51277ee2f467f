package openai_test

import (
	"context"
	"net/http"
	"time"

	openaisdk "github.com/openai/openai-go/v3"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/examples/sdks/internal/sdktest"
	"github.com/headway-go/headway/ratelimittest"
)

const (
	completion = `{"id":"chatcmpl-1","object":"chat.completion","choices":[{"index":0,"finish_reason":"stop",` +
		`"message":{"role":"assistant","content":"Hello!"}}],"usage":{"prompt_tokens":40,"completion_tokens":60,"total_tokens":100}}`
	rateLimited = `{"error":{"message":"Rate limit reached for gpt-5.4-mini","type":"tokens","param":null,"code":"rate_limit_exceeded"}}`
	serverError = `{"error":{"message":"The server had an error","type":"server_error","param":null,"code":null}}`
)

// limits makes h an API that limits requests and tokens. Each call uses 100 tokens. As at OpenAI, the
// responses report for both limits what remains, and when all of it is available again. limits returns the
// handler of the second limit, whose Log has the requests that the first limit allowed.
func limits(h *ratelimittest.Handler, requests, tokens int64, window time.Duration) *ratelimittest.Handler {
	bucket := func(quota int64, unit string) ratelimittest.Limiter {
		return &ratelimittest.TokenBucket{
			Policy:    ratelimittest.Policy{Quota: quota, Window: window, Unit: unit},
			FullReset: true,
		}
	}
	refused := sdktest.JSON(http.StatusTooManyRequests, rateLimited)
	h.Limiter, h.Dialect, h.Refuse = bucket(requests, ""), ratelimittest.Dimensioned, refused

	byTokens := ratelimittest.NewHandler(bucket(tokens, "tokens"), ratelimittest.Dimensioned)
	byTokens.Cost = func(*http.Request) int64 { return 100 }
	byTokens.Refuse = refused
	byTokens.Next = sdktest.JSON(http.StatusOK, completion)
	h.Next = byTokens
	return byTokens
}

// complete makes one call, with an estimate of its tokens, and returns the model's answer.
func complete(ctx context.Context, client openaisdk.Client) (string, error) {
	ctx = headway.WithCost(ctx, "tokens", 100)
	answer, err := client.Chat.Completions.New(ctx, openaisdk.ChatCompletionNewParams{
		Model:    openaisdk.ChatModelGPT5_4Mini,
		Messages: []openaisdk.ChatCompletionMessageParamUnion{openaisdk.UserMessage("Hello")},
	})
	if err != nil {
		return "", err
	}
	return answer.Choices[0].Message.Content, nil
}
