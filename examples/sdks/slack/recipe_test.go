package slack_test

import (
	"context"
	"net/http"
	"sync/atomic"
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

func list(ctx context.Context, client *sdk.Client) error {
	_, err := client.GetUsersContext(ctx)
	return err
}

// Two methods have limits that are not reported, and get more calls than these allow. All calls succeed,
// after some refusals.
func TestRecipe(t *testing.T) {
	api := sdktest.Serve(t, &ratelimittest.FixedWindow{Policy: ratelimittest.Per(10, time.Second)}, ratelimittest.Silent)
	api.Handler.Client = func(r *http.Request) string { return r.URL.Path }
	api.Handler.Next = sdktest.JSON(http.StatusOK, user)
	api.Handler.Refuse = sdktest.JSON(http.StatusTooManyRequests, exceeded)
	calls := &sdktest.Counter{Base: &headway.Transport{Partition: slack.ByMethod}}
	client := slack.New("xoxb-token", calls, sdk.OptionAPIURL(api.URL+"/api/"))

	var turn atomic.Int64
	sdktest.Crowd{Calls: 32, Workers: 4, Refused: 8}.RequireServed(t, calls, func(ctx context.Context) error {
		if turn.Add(1)%2 == 0 {
			return info(ctx, client)
		}
		return post(ctx, client)
	}, api.Handler)
}

// If a page is refused with a response, the SDK's calls for several pages wait and retry without a bound.
// MaxWait does not bound them, but a context does.
func TestPages(t *testing.T) {
	for _, row := range []struct {
		name  string
		held  bool // by a refusal of another call
		how   headway.Refusal
		calls int
		fails bool
	}{
		{"refused by Slack", false, headway.RefuseWithError, 2, false},
		{"refused by headway, with a response", true, headway.RefuseWithResponse, 2, false},
		{"refused by headway, with an error", true, headway.RefuseWithError, 1, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &ratelimittest.Transport{Handler: sdktest.First(1, refusal("3600"), sdktest.JSON(http.StatusOK, user))}
				calls := &sdktest.Counter{Base: &headway.Transport{Base: server, Partition: oneForAll, MaxWait: time.Minute, Refusal: row.how}}
				client := slack.New("xoxb-token", calls)
				if row.held {
					require.Error(t, post(t.Context(), client))
					calls.Reset()
				}
				start := time.Now()
				err := list(t.Context(), client)
				require.Equal(t, row.calls, calls.Calls())
				if row.fails {
					require.ErrorIs(t, err, headway.ErrMaxWait)
					require.Zero(t, time.Since(start))
					return
				}
				require.NoError(t, err)
				require.GreaterOrEqual(t, time.Since(start), time.Hour)
			})
		})
	}
}

// A used-up method does not delay other methods.
func TestByMethod(t *testing.T) {
	for _, row := range []struct {
		name      string
		partition func(*http.Request) string
		least     time.Duration
		most      time.Duration
	}{
		{"with the recipe", slack.ByMethod, 0, time.Second},
		{"without", nil, 20 * time.Second, time.Minute},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answer := sdktest.JSON(http.StatusOK, user)
				posts := sdktest.First(1, refusal("30"), answer)
				mux := http.NewServeMux()
				mux.Handle("/api/chat.postMessage", posts)
				mux.Handle("/", answer)
				client := slack.New("xoxb-token", &headway.Transport{Base: &ratelimittest.Transport{Handler: mux}, Partition: row.partition})

				posted := make(chan error, 1)
				go func() { posted <- post(t.Context(), client) }()
				time.Sleep(5 * time.Second)
				start := time.Now()
				require.NoError(t, info(t.Context(), client))
				took := time.Since(start)
				require.GreaterOrEqual(t, took, row.least)
				require.LessOrEqual(t, took, row.most)
				require.NoError(t, <-posted)
			})
		})
	}
}

func refusal(seconds string) http.Handler {
	return sdktest.JSON(http.StatusTooManyRequests, exceeded, "Retry-After", seconds)
}

// oneForAll puts all methods into one partition, so that a refusal of any method holds them all.
func oneForAll(*http.Request) string { return "slack" }
