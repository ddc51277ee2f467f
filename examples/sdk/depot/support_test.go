package depot_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/headway-go/headway/examples/sdk/depot"
	"github.com/headway-go/headway/ratelimittest"
)

// A crowd is a workload of so many goroutines, each of which creates one item with
// the same Client. (Those of ratelimittest send requests; this one calls the SDK.)
type crowd int

// Send implements ratelimittest.Workload.
func (n crowd) Send(network *http.Client, req *http.Request) []ratelimittest.Outcome {
	client := depot.New("token", depot.WithHTTPClient(network))
	outcomes := make([]ratelimittest.Outcome, n)
	var calls sync.WaitGroup
	for i := range outcomes {
		calls.Go(func() { outcomes[i] = create(req.Context(), client) })
	}
	calls.Wait()
	return outcomes
}

func create(ctx context.Context, client *depot.Client) (o ratelimittest.Outcome) {
	o.Start = time.Now()
	_, o.Err = client.Items.Create(ctx, depot.Item{Name: "bolt", Count: 100})
	o.End = time.Now()
	return o
}

// play runs s with an API that has no items, behind proxies. It returns the figures,
// and the items that the API has in the end.
func play(t *testing.T, s ratelimittest.Scenario, proxies ...ratelimittest.Fault) (ratelimittest.Figures, []depot.Item) {
	t.Helper()
	api := newAPI(0)
	s.Latency = 50 * time.Millisecond
	s.Server = func(h *ratelimittest.Handler) http.Handler {
		h.Next = api
		var server http.Handler = h
		for _, proxy := range proxies {
			server = proxy(server)
		}
		return server
	}
	f := ratelimittest.Run(t, s)
	t.Log(&f)
	return f, api.all()
}

func hundredPerMinute() ratelimittest.Limiter { return ratelimittest.NewFixedWindow(100, time.Minute) }
