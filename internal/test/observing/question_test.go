package observing

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// talk makes the nth response of a server with a limit, of one that only refuses, or of one with a limit on concurrent
// requests.
func talk(server string, req *http.Request, n int, since time.Duration) *http.Response {
	switch {
	case server == "limited":
		fields := kit.Fields("RateLimit-Policy", `"d";q=60;w=60`,
			"RateLimit", fmt.Sprintf(`"d";r=%d;t=%d`, max(0, 59-n%60), 60-int(since/time.Second)%60))
		resp := kit.Respond(req, http.StatusOK)
		if n%20 == 19 {
			resp = kit.Respond(req, http.StatusTooManyRequests)
			fields.Set("Retry-After", "3")
		}
		resp.Header = fields
		return resp
	case server == "full":
		return kit.InFlight("2", func() io.ReadCloser { return kit.NewTrackedBody("text") })(req)
	case n%10 == 9:
		return kit.Respond(req, http.StatusTooManyRequests)
	}
	return kit.Respond(req, http.StatusOK)
}

// clientsOf returns how many clients each server has. Servers that report numbers have one, as the order of requests at one
// instant is random and would matter.
var clientsOf = map[string]int{"limited": 1, "full": 4, "silent": 1}

// arrivals drives a Transport against such a server, and returns when requests arrived. It calls ask all the time.
func arrivals(t *testing.T, server string, ask func(*headway.Transport)) (all []time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		began := time.Now()
		transport := kit.SeededBy(kit.Chance(t, server, 0), &headway.Transport{
			Ceiling: rate.NewLimiter(20, 5), MaxRetries: -1, Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
				mu.Lock()
				n := len(all)
				all = append(all, time.Since(began))
				mu.Unlock()
				time.Sleep(20*time.Millisecond + time.Duration(n*7919%1000)*13*time.Microsecond) // so that no two responses come at one instant
				return talk(server, req, n, time.Since(began)), nil
			}),
		})
		stop := make(chan struct{})
		var asking, clients sync.WaitGroup
		var left atomic.Int64 // requests that are left to make
		left.Store(160)
		asking.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(23 * time.Millisecond):
					ask(transport)
				}
			}
		})
		for range clientsOf[server] {
			clients.Go(func() {
				for left.Add(-1) >= 0 {
					resp, err := kit.Get(t.Context(), transport, kit.URL)
					if err == nil {
						time.Sleep(17 * time.Millisecond)
						_ = resp.Body.Close()
					}
				}
			})
		}
		clients.Wait()
		close(stop)
		asking.Wait()
	})
	return all
}

// Calling State all the time does not change when requests are sent.
func TestStateChangesNothing(t *testing.T) {
	for server := range clientsOf {
		t.Run(server, func(t *testing.T) {
			alone := arrivals(t, server, func(*headway.Transport) {})
			waiting := 0
			asked := arrivals(t, server, func(transport *headway.Transport) {
				for _, state := range transport.State() {
					waiting += state.Waiting
				}
			})
			require.Positive(t, waiting)
			require.Len(t, alone, 160)
			require.Equal(t, alone, asked)
		})
	}
}
