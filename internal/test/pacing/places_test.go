package pacing

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// A 503 with Retry-After means too many concurrent requests, and cuts the places. A 429 does not. While no pace is known, one
// request goes after its hold.
func TestRefusalsOpenPlaces(t *testing.T) {
	const atOnce = 10
	for _, test := range []struct {
		name        string
		status      int
		least, most int // places after the hold
	}{
		{"too many at once", http.StatusServiceUnavailable, 2, atOnce - 1},
		{"too fast", http.StatusTooManyRequests, 1, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var arrived atomic.Int64
				transport := &headway.Transport{MaxRetries: -1, Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
					if arrived.Add(1) == 1+atOnce { // the last of ten, while the others are in flight
						return kit.Respond(req, test.status, "Retry-After", "5"), nil
					}
					time.Sleep(100 * time.Millisecond)
					return kit.Respond(req, http.StatusOK), nil
				})}
				sendAtOnce := func() (wait func()) {
					var clients sync.WaitGroup
					for range atOnce {
						clients.Go(func() { kit.Prime(t, transport) })
						synctest.Wait() // they arrive in the order in which they are sent
					}
					return clients.Wait
				}
				kit.Prime(t, transport)
				sendAtOnce()()

				time.Sleep(10 * time.Second)
				wait := sendAtOnce()
				inFlight := transport.State()[0].InFlight
				wait()
				require.GreaterOrEqual(t, inFlight, test.least)
				require.LessOrEqual(t, inFlight, test.most)
			})
		})
	}
}
