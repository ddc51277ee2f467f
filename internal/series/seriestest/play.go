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

// hostRouter sends each request to the server of its host.
type hostRouter map[string]http.RoundTripper

func (b hostRouter) RoundTrip(req *http.Request) (*http.Response, error) {
	return b[req.URL.Host].RoundTrip(req)
}

// Played is what happened in Play, by the Transport's own account.
type Played struct {
	State      headway.PartitionState // of Partition, during the hold
	Hold, Wait time.Duration          // the rest of the hold, and the age of the oldest request, at that time
	Waited     time.Duration          // the sum of all requests' waits
}

// Play makes every kind of event happen once, in virtual time. In Partition three requests are
// sent, and one of them is throttled and sent again. One request is refused because of its
// deadline, and one is abandoned after 5 s. A request to slow.example.com is throttled, and one is
// refused. The response of odd.example.com is malformed. In the end all partitions are evicted.
// Play calls look during the hold, while two requests wait.
func Play(t *testing.T, exporter Exporter, look func()) (p Played) {
	t.Helper()
	api := &ratelimittest.Transport{
		Handler: &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(3, time.Minute)}, Dialect: ratelimittest.Draft10},
		Latency: 20 * time.Millisecond,
	}
	transport := &headway.Transport{Jitter: -1, Trace: adding(&p.Waited), Base: hostRouter{
		"api.example.com":  api,
		"slow.example.com": Answering(http.StatusServiceUnavailable, "Retry-After", "6000"),
		"odd.example.com":  Answering(http.StatusOK, "RateLimit", `"secret`),
	}}
	require.NoError(t, exporter.Instrument(transport, ""))
	ctx, secret := t.Context(), []string{"Authorization", "Bearer hunter2"}

	require.NoError(t, Get(ctx, transport, URL, secret...))
	for range 2 { // from another client of the same user
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

// adding returns a Trace that adds up the requests' waits.
func adding(waited *time.Duration) *headway.Trace {
	var mu sync.Mutex
	add := func(_ context.Context, info headway.SentInfo) {
		mu.Lock()
		defer mu.Unlock()
		*waited += info.Waited
	}
	return &headway.Trace{Sent: add, Resent: add, Abandoned: add}
}
