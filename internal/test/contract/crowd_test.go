package contract

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// A crowdRequest is a request and its position in the crowd.
type crowdRequest struct{}

// crowdSize is smaller under the race detector, which has a limit on goroutines.
func crowdSize() int {
	if kit.Raced {
		return 4000
	}
	return 100_000
}

// Each request of a crowd that waits in one partition is sent once and in order. Requests
// that are cancelled during the wait are not sent. Nothing is left behind.
func TestCrowdOnOnePartition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		crowdSize := crowdSize()
		var sent []int
		transport := &headway.Transport{MaxWait: -1, Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
			if i, ok := req.Context().Value(crowdRequest{}).(int); ok {
				mu.Lock()
				sent = append(sent, i)
				mu.Unlock()
			}
			return kit.Respond(req, 200, "RateLimit", `"a";r=500;t=1`, "RateLimit-Policy", `"a";q=1000;w=1`), nil
		})}
		kit.Prime(t, transport)
		require.NoError(t, exhaust(t.Context(), transport))

		var crowd sync.WaitGroup
		cancels := make([]context.CancelFunc, crowdSize)
		for i := range crowdSize {
			ctx, cancel := context.WithCancel(context.WithValue(t.Context(), crowdRequest{}, i))
			cancels[i] = cancel
			crowd.Go(func() {
				resp, err := kit.Get(ctx, transport, kit.URL)
				if err == nil {
					_ = resp.Body.Close()
				}
			})
			synctest.Wait() // so that they join in order
		}
		require.Equal(t, crowdSize, transport.State()[0].Waiting)
		var want []int
		for i, cancel := range cancels {
			if i%2 == 1 {
				cancel()
			} else {
				want = append(want, i)
			}
		}
		synctest.Wait()
		require.Equal(t, crowdSize/2, transport.State()[0].Waiting)
		crowd.Wait()
		require.True(t, slices.Equal(want, sent), "sent %d of %d, or not in order", len(sent), len(want))
		state := transport.State()[0]
		require.Zero(t, state.Waiting)
		require.Zero(t, state.InFlight)
		for _, cancel := range cancels {
			cancel()
		}
	})
}

// exhaust sends requests until the next one would have to wait.
func exhaust(ctx context.Context, transport *headway.Transport) error {
	for {
		start := time.Now()
		resp, err := kit.Get(ctx, transport, kit.URL)
		if err != nil {
			return err
		}
		if err := resp.Body.Close(); err != nil || time.Since(start) > 0 {
			return err
		}
	}
}
