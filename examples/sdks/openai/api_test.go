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
	noMoney     = `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.",` +
		`"type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`
)

// limits makes h an API that limits requests and tokens. Each call uses 100 tokens. As at OpenAI, the
// responses report for both limits what remains, and when all of it is available again. limits returns the
// handler of the second limit, whose Log has the requests that the first limit allowed.
func limits(h *ratelimittest.Handler, requests, tokens int64, window time.Duration) *ratelimittest.Handler {
	return sdktest.TokenLimit{
		Requests: requests, Tokens: tokens, Window: window, Unit: "tokens", Cost: 100, Dialect: ratelimittest.Fields("X-RateLimit-Limit-{unit}: {limit}", "X-RateLimit-Remaining-{unit}: {remaining}", "X-RateLimit-Reset-{unit}: {duration}"),
		Refusal: sdktest.JSON(http.StatusTooManyRequests, rateLimited), Answer: sdktest.JSON(http.StatusOK, completion),
	}.Set(h)
}

// complete makes one call, with an estimate of its tokens.
func complete(ctx context.Context, client openaisdk.Client) error {
	ctx = headway.WithCost(ctx, "tokens", 100)
	_, err := client.Chat.Completions.New(ctx, openaisdk.ChatCompletionNewParams{
		Model:    openaisdk.ChatModelGPT5_4Mini,
		Messages: []openaisdk.ChatCompletionMessageParamUnion{openaisdk.UserMessage("Hello")},
	})
	return err
}
