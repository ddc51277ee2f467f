package sdks_test

import (
	"context"
	"net/http"

	slacksdk "github.com/slack-go/slack"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/examples/sdks/slack"
)

func slackRows() []row {
	r := row{sdk: "slack-go v0.35", answer: `{"ok":true,"user":{"id":"U1"}}`}
	bare, retrying, recipe := r, r, r
	bare.use, bare.client = asItIs, func(transport http.RoundTripper) func(context.Context) error {
		return gettingUser(slacksdk.New("xoxb-token", slacksdk.OptionHTTPClient(&http.Client{Transport: transport})))
	}
	retrying.sdk += ", `OptionRetry(3)`"
	retrying.use, retrying.client = asItIs, func(transport http.RoundTripper) func(context.Context) error {
		return gettingUser(slacksdk.New("xoxb-token", slacksdk.OptionHTTPClient(&http.Client{Transport: transport}), slacksdk.OptionRetry(3)))
	}
	recipe.use, recipe.client = "`New`", func(transport http.RoundTripper) func(context.Context) error {
		return gettingUser(slack.New("xoxb-token", transport))
	}
	recipe.set = func(transport *headway.Transport) { transport.Partition = slack.ByMethod }
	return []row{bare, retrying, recipe}
}

func gettingUser(client *slacksdk.Client) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := client.GetUserInfoContext(ctx, "U1")
		return err
	}
}
