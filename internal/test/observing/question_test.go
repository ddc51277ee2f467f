package observing

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// arrivals drives a Transport against a server that limits, refuses, holds, limits requests in flight and falls silent,
// and returns when each request arrived. ask is called all the time.
func arrivals(t *testing.T, ask func(*headway.Transport)) (all []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		began, counts := time.Now(), map[string]int{}
		base := kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
			mu.Lock()
			n := counts[req.URL.Host]
			counts[req.URL.Host]++
			all = append(all, fmt.Sprint(time.Since(began), " ", req.URL))
			mu.Unlock()
			time.Sleep(30 * time.Millisecond)
			window := 60 - int(time.Since(began)/time.Second)%60
			switch req.URL.Host {
			case "limited":
				fields := []string{"RateLimit-Policy", `"d";q=60;w=60`, "RateLimit", fmt.Sprintf(`"d";r=%d;t=%d`, max(0, 59-n%60), window)}
				if n%20 == 19 {
					return kit.Respond(req, 429, append(fields, "Retry-After", "3")...), nil
				}
				return kit.Respond(req, 200, fields...), nil
			case "silent":
				if n%10 == 9 {
					return kit.Respond(req, 429), nil
				}
				return kit.Respond(req, 200), nil
			default:
				return kit.InFlight("2", func() io.ReadCloser { return kit.NewTrackedBody("text") })(req), nil
			}
		})
		transport := kit.SeededBy(kit.Chance(t, "TestStateChangesNothing", 0), &headway.Transport{Base: base, Ceiling: rate.NewLimiter(50, 5)})
		stop := make(chan struct{})
		var asking, clients sync.WaitGroup
		asking.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(7 * time.Millisecond):
					ask(transport)
				}
			}
		})
		for i, host := range []string{"limited", "silent", "places"} {
			for worker := range 4 {
				clients.Go(func() {
					time.Sleep(time.Duration(10*worker+i+1) * 101 * time.Microsecond) // no two at one instant
					for n := range 30 {
						ctx, cancel := context.WithTimeout(headway.WithPriority(t.Context(), n%3), 40*time.Second)
						resp, err := kit.Get(ctx, transport, fmt.Sprintf("https://%s/%d?worker=%d", host, n%2, worker))
						if err == nil {
							time.Sleep(time.Duration(17+worker) * time.Millisecond)
							_ = resp.Body.Close()
						}
						cancel()
					}
				})
			}
		}
		clients.Wait()
		close(stop)
		asking.Wait()
	})
	return all
}

// Of two Transports that are used alike one is asked for its State all the time. Both send the same at the same instants.
func TestStateChangesNothing(t *testing.T) {
	alone := arrivals(t, func(*headway.Transport) {})
	waiting := 0
	asked := arrivals(t, func(transport *headway.Transport) {
		for _, state := range transport.State() {
			waiting += state.Waiting
		}
	})
	require.Positive(t, waiting)
	require.Greater(t, len(alone), 300)
	require.Equal(t, alone, asked)
}
