package suites_test

// suites returns the suites, each with its differences.
func suites() []*suite {
	return []*suite{
		{
			module: "std", folder: "net/http", name: "http",
			only: "Client|Transport|Cookie|Redirect|RoundTrip|Cancel|Body",
			known: []difference{
				{test: "TestTransportPoolConnHTTP2Startup", at: []place{atTransport, resending}, reason: firstAlone},
			},
		},
		{module: "golang.org/x/oauth2", version: "v0.38.0", name: "oauth2"},
		{module: "go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp", version: "v0.72.0", name: "otelhttp"},
		{module: "github.com/aws/smithy-go", version: "v1.28.9", folder: "transport/http", name: "http"},
		{module: "github.com/hashicorp/go-retryablehttp", version: "v0.7.8", name: "retryablehttp"},
		{module: "github.com/PuerkitoBio/rehttp", version: "v1.4.0", isSlow: true, name: "rehttp", known: []difference{
			{test: "TestTransport_RoundTripTimeouts", at: []place{atTransport, resending}, hangs: true, varies: true, reason: "Each attempt may take a second, at a server that refuses all of them without a time. headway's backoff is longer most times, so it refuses at once instead"},
		}},
		{module: "github.com/bradleyfalzon/ghinstallation/v2", version: "v2.19.0", name: "ghinstallation"},
		{module: "github.com/go-resty/resty/v2", version: "v2.17.2", isSlow: true, name: "resty"},
		{module: "github.com/slack-go/slack", version: "v0.35.0", isSlow: true, name: "slack", known: []difference{
			{test: "TestConnectionOnlyRetryHandlersOnlyRetriesConnection/429_not_retried", at: []place{resending}, reason: resent},
			{test: "TestRetryExhausted429ReturnsError", at: []place{resending}, reason: resent},
			{test: "TestRTMConnectRateLimit", at: []place{resending}, hangs: true, reason: resent},
		}},
		{module: "github.com/openai/openai-go/v3", version: "v3.99.0", name: "openai", keep: "client_test.go"},
		{module: "github.com/anthropics/anthropic-sdk-go", version: "v1.84.0", name: "anthropic", keep: "client_test.go"},
		{module: "github.com/google/go-github/v83", version: "v83.0.0", folder: "github", name: "github", known: []difference{
			{test: "TestDo_rateLimit_sleepUntilResponseResetLimitRetryOnce", at: []place{resending}, reason: resent},
		}},
		{module: "github.com/digitalocean/godo", version: "v1.239.0", name: "godo"},
		{module: "gitlab.com/gitlab-org/api/client-go/v2", version: "v2.64.0", isSlow: true, name: "gitlab", known: []difference{
			{test: "TestAwardEmojiService_EdgeCases/rate_limit_response", reason: notAskedAgain},
			{test: "TestClient_DefaultRetryPolicy_RetryOnStatusCodes/429", at: []place{resending}, reason: longBackoff},
			{test: "TestExponentialBackoffLogic", at: []place{resending}, hangs: true, reason: longBackoff},
		}},
	}
}

// The reasons that several differences share.
const (
	firstAlone    = "To a new server one request goes first, and the next one 250 ms later unless there is a response. The test demands that both start at once"
	notAskedAgain = "The server asks to wait for 60 s, and the client asks again at once, some times. headway refuses that: it would be a wait of more than 10 s. The test demands to see the last 429"
	longBackoff   = "The client asks again and again, at a server that refuses all without a time. Then headway's backoff grows over 10 s, so it refuses at once. The test demands to see the last 429"
	resent        = "The test counts refused requests, or demands to see one. headway has sent it again before its client sees it"
)
