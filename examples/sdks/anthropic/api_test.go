package anthropic_test

import (
	"context"
	"net/http"
	"strconv"
	"time"

	anthropicsdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/examples/sdks/internal/sdktest"
	"github.com/headway-go/headway/ratelimittest"
)

const (
	message = `{"id":"msg_1","type":"message","role":"assistant","model":"claude-haiku-4-5","stop_reason":"end_turn",` +
		`"content":[{"type":"text","text":"Hello!"}],"usage":{"input_tokens":10,"output_tokens":60}}`
	rateLimited = `{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your rate limit"}}`
	spent       = `{"type":"error","error":{"type":"rate_limit_error","message":"You have reached your API usage limits.",` +
		`"details":{"error_code":"enforced_spend_limit_reached"}}}`
)

// dialect writes Anthropic's fields. Each unit has its own fields, with the unit in the middle of their
// names. The reset is the date, in whole seconds, at which the whole quota is available again.
func dialect(h http.Header, now time.Time, d ratelimittest.Decision) {
	for _, l := range d.Limits {
		unit := l.Unit
		if unit == "" {
			unit = "requests"
		}
		reset := now.Add(l.Reset + time.Second - 1).UTC().Truncate(time.Second)
		h.Set("Anthropic-Ratelimit-"+unit+"-Limit", strconv.FormatInt(l.Quota, 10))
		h.Set("Anthropic-Ratelimit-"+unit+"-Remaining", strconv.FormatInt(l.Remaining, 10))
		h.Set("Anthropic-Ratelimit-"+unit+"-Reset", reset.Format(time.RFC3339))
	}
}

// limits makes h an API that limits requests and output tokens. Each call uses 60 tokens. limits returns the
// handler of the second limit, whose Log has the requests that the first limit allowed.
func limits(h *ratelimittest.Handler, requests, tokens int64, window time.Duration) *ratelimittest.Handler {
	return sdktest.TokenLimit{
		Requests: requests, Tokens: tokens, Window: window, Unit: "output-tokens", Cost: 60, Dialect: dialect,
		Refusal: sdktest.JSON(http.StatusTooManyRequests, rateLimited, "X-Should-Retry", "true"), Answer: sdktest.JSON(http.StatusOK, message),
	}.Set(h)
}

// ask makes one call, with an estimate of its output tokens.
func ask(ctx context.Context, client anthropicsdk.Client) error {
	ctx = headway.WithCost(ctx, "output-tokens", 100)
	_, err := client.Messages.New(ctx, anthropicsdk.MessageNewParams{
		Model:     anthropicsdk.ModelClaudeHaiku4_5,
		MaxTokens: 100,
		Messages:  []anthropicsdk.MessageParam{anthropicsdk.NewUserMessage(anthropicsdk.NewTextBlock("Hello"))},
	})
	return err
}
