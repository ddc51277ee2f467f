package genai_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	sdk "google.golang.org/genai"

	"github.com/headway-go/headway/examples/sdks/genai"
	"github.com/headway-go/headway/examples/sdks/internal/sdktest"
)

const answer = `{"candidates":[{"content":{"role":"model","parts":[{"text":"Hello!"}]},"finishReason":"STOP"}]}`

// exhausted is a refusal by Gemini, as in https://github.com/googleapis/python-genai/issues/2044.
func exhausted(quota, delay string) http.Handler {
	return sdktest.JSON(http.StatusTooManyRequests, `{"error":{"code":429,"message":"You exceeded your current quota.","status":"RESOURCE_EXHAUSTED","details":[`+
		`{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"`+quota+`"}]},`+
		`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"`+delay+`"}]}}`)
}

// headway waits out a limit per minute, for as long as the body says, and leaves the quota of a day alone.
func TestVerdicts(t *testing.T) {
	err := sdktest.Verdicts{
		Wait:   exhausted("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", "0.25s"),
		Hold:   250 * time.Millisecond,
		Never:  exhausted("GenerateRequestsPerDayPerProjectPerModel-FreeTier", "38s"),
		Answer: sdktest.JSON(http.StatusOK, answer),
	}.Require(t, func(transport http.RoundTripper) func(context.Context) error {
		attempts := int32(3)
		client, err := sdk.NewClient(t.Context(), genai.Config(&sdk.ClientConfig{
			APIKey: "key", Backend: sdk.BackendGeminiAPI,
			HTTPOptions: sdk.HTTPOptions{BaseURL: "http://generativelanguage.googleapis.com", RetryOptions: &sdk.HTTPRetryOptions{Attempts: &attempts}},
		}, transport))
		require.NoError(t, err)
		return func(ctx context.Context) error {
			_, err := client.Models.GenerateContent(ctx, "gemini-2.5-flash", sdk.Text("Hello"), nil)
			return err
		}
	})
	var refusal sdk.APIError
	require.ErrorAs(t, err, &refusal)
	require.Len(t, refusal.Details, 2)
}
