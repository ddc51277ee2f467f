package depot_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/headway-go/headway/examples/sdk/depot"
	"github.com/headway-go/headway/ratelimittest"
)

// A crowd creates n items at once.
func crowd(n int) ratelimittest.Batch { return ratelimittest.Batch{Requests: n, Workers: n} }

// creating returns a function that creates items with one Client.
func creating(network *http.Client) func(context.Context) error {
	client := depot.New("token", depot.WithHTTPClient(network))
	return func(ctx context.Context) error { return create(ctx, client) }
}

func create(ctx context.Context, client *depot.Client) error {
	_, err := client.Items.Create(ctx, depot.Item{Name: "bolt", Count: 100})
	return err
}

// play runs s with an API without items, and a client that creates some. It returns the figures, and the
// API's items at the end.
func play(t *testing.T, s ratelimittest.Scenario) (ratelimittest.Figures, []depot.Item) {
	t.Helper()
	api := newAPI(0)
	s.NewCall, s.Next, s.Latency = creating, api, 50*time.Millisecond
	f := ratelimittest.Run(t, s)
	t.Log(f)
	return f, api.all()
}

func hundredPerMinute() ratelimittest.Limiter {
	return &ratelimittest.FixedWindow{Policy: ratelimittest.Per(100, time.Minute)}
}
