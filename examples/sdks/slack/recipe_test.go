package slack_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/slack-go/slack"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/examples/sdks/internal/sdktest"
	"github.com/headway-go/headway/examples/sdks/slack"
	"github.com/headway-go/headway/ratelimittest"
)

const (
	user     = `{"ok":true,"user":{"id":"U1","name":"ada"},"members":[],"ts":"1.2","channel":"C1"}`
	exceeded = `{"ok":false,"error":"ratelimited"}`
)

func info(ctx context.Context, client *sdk.Client) error {
	_, err := client.GetUserInfoContext(ctx, "U1")
	return err
}

func post(ctx context.Context, client *sdk.Client) error {
	_, _, err := client.PostMessageContext(ctx, "C1", sdk.MsgOptionText("hello", false))
	return err
}

// A used-up method does not delay other methods.
func TestByMethod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := sdktest.JSON(http.StatusOK, user)
		mux := http.NewServeMux()
		mux.Handle("/api/chat.postMessage", sdktest.First(1, refusal("30"), answer))
		mux.Handle("/", answer)
		client := slack.New("xoxb-token", &headway.Transport{Base: &ratelimittest.Transport{Handler: mux}, Partition: slack.ByMethod})
		posted := make(chan error, 1)
		go func() { posted <- post(t.Context(), client) }()
		time.Sleep(5 * time.Second)
		start := time.Now()
		require.NoError(t, info(t.Context(), client))
		require.LessOrEqual(t, time.Since(start), time.Second)
		require.NoError(t, <-posted)
	})
}

func refusal(seconds string) http.Handler {
	return sdktest.JSON(http.StatusTooManyRequests, exceeded, "Retry-After", seconds)
}
