package seriestest

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/ratelimittest"
)

// byHost hands each request to the server of its host.
type byHost map[string]http.RoundTripper

func (b byHost) RoundTrip(req *http.Request) (*http.Response, error) {
	return b[req.URL.Host].RoundTrip(req)
}

// Played is what happened in Play, as the Transport itself tells it.
type Played struct {
	State      headway.PartitionState // of Partition while the hold lasts
	Hold, Wait time.Duration          // what is left of that, and the age of the oldest request, then
	Kept       time.Duration          // how long all requests were kept from the wire
}

// Play has one of everything happen to requests, in virtual time. In Partition three
// requests are sent, one of which is throttled and sent again, one is refused because of its
// deadline, and one is abandoned after 5 s. Those of slow.example.com are throttled once and
// refused once, the answer of odd.example.com is malformed. In the end all are evicted.
// Play calls look while the hold lasts, with two requests waiting.
func Play(t *testing.T, exporter Exporter, look func()) (p Played) {
	t.Helper()
	api := &ratelimittest.Transport{
		Handler: ratelimittest.NewHandler(ratelimittest.NewFixedWindow(3, time.Minute), ratelimittest.Draft10),
		Latency: 20 * time.Millisecond,
	}
	transport := &headway.Transport{Jitter: -1, Trace: adding(&p.Kept), Base: byHost{
		"api.example.com":  api,
		"slow.example.com": Answering(http.StatusServiceUnavailable, "Retry-After", "6000"),
		"odd.example.com":  Answering(http.StatusOK, "RateLimit", `"secret`),
	}}
	require.NoError(t, exporter.Instrument(transport, ""))
	ctx, secret := t.Context(), []string{"Authorization", "Bearer hunter2"}

	require.NoError(t, Get(ctx, transport, URL, secret...))
	for range 2 { // another client of that user
		require.NoError(t, Get(ctx, api, URL, secret...))
	}
	var waiting sync.WaitGroup
	waiting.Go(func() { _ = Get(ctx, transport, URL, secret...) }) // throttled, and sent again
	time.Sleep(time.Second)
	waiting.Go(func() {
		ctx, cancel := context.WithCancel(ctx)
		time.AfterFunc(5*time.Second, cancel)
		_ = Get(ctx, transport, URL, secret...)
	})
	short, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	require.ErrorIs(t, Get(short, transport, URL, secret...), context.DeadlineExceeded)
	time.Sleep(time.Second)
	p.State = transport.State()[0]
	p.Hold, p.Wait = time.Until(p.State.HeldUntil), time.Since(p.State.WaitingSince)
	look()

	waiting.Wait()
	require.NoError(t, Get(ctx, transport, URL, secret...))
	require.NoError(t, Get(ctx, transport, "https://slow.example.com/"))
	require.ErrorIs(t, Get(ctx, transport, "https://slow.example.com/"), headway.ErrMaxWait)
	require.NoError(t, Get(ctx, transport, "https://odd.example.com/"))
	time.Sleep(24 * time.Hour)
	return p
}

// adding returns hooks of the program's own that add up how long requests are kept from
// the wire.
func adding(kept *time.Duration) *headway.Trace {
	var mu sync.Mutex
	add := func(_ context.Context, info headway.SentInfo) {
		mu.Lock()
		defer mu.Unlock()
		*kept += info.Waited
	}
	return &headway.Trace{Sent: add, Resent: add, Abandoned: add}
}

// EndToEnd has two requests sent over real HTTP, and one refused. It calls look while
// the second one is in flight, and returns the name of their partition.
func EndToEnd(t *testing.T, exporter Exporter, look func(partition string)) string {
	t.Helper()
	server := ratelimittest.NewServer(ratelimittest.NewFixedWindow(2, time.Hour), ratelimittest.Draft10)
	defer server.Close()
	entered, release := make(chan struct{}), make(chan struct{})
	server.Handler.Next = http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/slow" {
			close(entered)
			<-release
		}
	})
	transport := Instrumented(t, exporter, server.Client().Transport)
	transport.MaxWait = time.Second

	require.NoError(t, Get(t.Context(), transport, server.URL))
	slow := make(chan error)
	go func() { slow <- Get(t.Context(), transport, server.URL+"/slow") }()
	<-entered
	look(server.URL)
	close(release)
	require.NoError(t, <-slow)
	require.ErrorIs(t, Get(t.Context(), transport, server.URL), headway.ErrMaxWait)
	return server.URL
}
