// Package slack is a recipe for using headway with the SDK for Slack (github.com/slack-go/slack).
package slack

import (
	"net/http"
	"strings"

	"github.com/slack-go/slack"

	"github.com/headway-go/headway"
)

// New returns a client that waits for Slack's limits instead of failing. transport is a *headway.Transport
// with Partition set to ByMethod, or a layer on top of one. Keep it for as long as the program runs. Use a
// separate transport for each token: the SDK sends most tokens in the body, which headway does not read.
//
//	client := slack.New(os.Getenv("SLACK_TOKEN"), &headway.Transport{Partition: slack.ByMethod})
//
// Slack reports its limits only by Retry-After, once they are exceeded. So some calls are refused before
// headway knows a method's pace. They are sent again after Retry-After, and other calls of that method wait
// until then. Do not use the SDK's OptionRetry. It would add retries of its own, for each call separately.
//
// GetUsers, GetAllConversations and ListAllStars read several pages. If they see a 429, they wait and retry
// without a bound. So bound them by a context, and leave headway.Transport.Refusal as it is.
//
// To bound a call, set a deadline on its context. http.Client.Timeout works as well, and includes the wait in
// headway's queue. A call that cannot be sent before its deadline fails at once: errors.As finds a
// *headway.LimitError.
func New(token string, transport http.RoundTripper, options ...slack.Option) *slack.Client {
	client := &http.Client{Transport: transport}
	return slack.New(token, append([]slack.Option{slack.OptionHTTPClient(client)}, options...)...)
}

// ByMethod is a headway.Transport.Partition for Slack. Each method of the Web API has a limit of its own, so
// a used-up limit must not delay other methods. For other APIs headway learns this from header fields, but
// Slack sends none. ByMethod is safe for concurrent use.
func ByMethod(req *http.Request) string {
	partition := headway.DefaultPartition(req)
	if _, method, ok := strings.Cut(req.URL.Path, "/api/"); ok && partition != "" {
		partition += " " + method
	}
	return partition
}
