// Package slack is a recipe: the SDK for Slack (github.com/slack-go/slack) on headway.
package slack

import (
	"net/http"
	"strings"

	"github.com/slack-go/slack"

	"github.com/headway-go/headway"
)

// New returns a client that waits for Slack's limits instead of failing at them. transport
// is a *headway.Transport with Partition set to ByMethod, or something on top of one; keep
// it for as long as the program runs, and have one for each token: the SDK sends most
// tokens in the body, where nobody below it looks.
//
//	client := slack.New(os.Getenv("SLACK_TOKEN"), &headway.Transport{Partition: slack.ByMethod})
//
// Slack tells nothing of its limits but Retry-After, once they are exceeded. So some calls
// are refused before headway knows a method's pace; they are sent again when the time has
// come, and calls of that method wait until then. Leave out the SDK's OptionRetry, which
// would do the same once more, for each call alone.
//
// GetUsers, GetAllConversations and ListAllStars, which read page after page, wait by
// themselves where they see a 429, and ask again as often as it takes: bound them by a
// context, and leave headway.Transport.Refusal as it is.
//
// How long a call may take is best said by its context. http.Client.Timeout works as well,
// but what it bounds has the wait for a turn in it. A call that cannot start in time fails
// at once: errors.As finds a *headway.LimitError.
func New(token string, transport http.RoundTripper, options ...slack.Option) *slack.Client {
	client := &http.Client{Transport: transport}
	return slack.New(token, append([]slack.Option{slack.OptionHTTPClient(client)}, options...)...)
}

// ByMethod is the headway.Transport.Partition for Slack: each method of the Web API has a
// limit of its own, and one that is used up keeps no other waiting. Elsewhere that shows in
// header fields; here there are none. It is safe for concurrent use.
func ByMethod(req *http.Request) string {
	partition := headway.DefaultPartition(req)
	if _, method, ok := strings.Cut(req.URL.Path, "/api/"); ok && partition != "" {
		partition += " " + method
	}
	return partition
}
