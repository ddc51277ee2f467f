package waits

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/ratelimittest"
)

// Requests with deadlines that start at once on a fresh client are refused only after the second response, which
// begins the burst. So as many are sent as of a client that knows the limit.
func TestDeadlinesOnAFreshClient(t *testing.T) {
	const timeout = 30 * time.Second
	for _, test := range []struct {
		quota    int64 // per hour
		requests int
		pacing   headway.Pacing
		sent     int64 // at least
	}{
		{60, 30, headway.PaceEvenly, 11},
		{60, 30, headway.PaceMeasured, 30},
		{5000, 1000, headway.PaceEvenly, 500},
		{5000, 1000, headway.PaceMeasured, 1000},
	} {
		t.Run(fmt.Sprintf("%d requests at %d per hour, pacing %d", test.requests, test.quota, test.pacing), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(test.quota, time.Hour)}, Dialect: ratelimittest.Draft10}
				transport := &headway.Transport{Pacing: test.pacing, Base: &ratelimittest.Transport{Handler: server, Latency: 50 * time.Millisecond}}
				var sent atomic.Int64
				var all sync.WaitGroup
				for range test.requests {
					all.Go(func() {
						ctx, cancel := context.WithTimeout(t.Context(), timeout)
						defer cancel()
						resp, err := transport.RoundTrip(kit.NewRequest(t, kit.URL).WithContext(ctx))
						if err != nil {
							if !errors.Is(err, context.DeadlineExceeded) { // refused at once, or after a wait that jitter made too long
								t.Error(err)
							}
							return
						}
						sent.Add(1)
						if err := resp.Body.Close(); err != nil || resp.StatusCode != http.StatusOK {
							t.Error(resp.Status, err)
						}
					})
				}
				all.Wait()
				require.GreaterOrEqual(t, sent.Load(), test.sent)
			})
		})
	}
}
