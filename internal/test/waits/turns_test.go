package waits

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// An arrival is a request that reached the server.
type arrival struct {
	name string
	at   time.Duration
}

// A tollgate is a server with a generous limit behind a Ceiling of one request per second, whose first token is used.
type tollgate struct {
	transport *headway.Transport
	ceiling   *rate.Limiter
	began     time.Time
	clients   sync.WaitGroup

	mu       sync.Mutex
	arrivals []arrival
	failures map[string]error
}

func newTollgate(t *testing.T, transport *headway.Transport) *tollgate {
	t.Helper()
	g := &tollgate{transport: transport, ceiling: rate.NewLimiter(rate.Inf, 1), failures: map[string]error{}}
	transport.Ceiling, transport.Base = g.ceiling, kit.BaseFunc(g.serve)
	for i := range 3 { // so that their limits are known
		g.send(t.Context(), origin(i), "first", 0)
	}
	g.clients.Wait()
	time.Sleep(time.Minute)
	g.arrivals, g.began = nil, time.Now()
	g.ceiling.SetLimit(1)
	for g.ceiling.Allow() {
	}
	return g
}

// origin is one of three origins, each a partition.
func origin(i int) string { return fmt.Sprintf("https://%d.example.com", i%3) }

func (g *tollgate) serve(req *http.Request) (*http.Response, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.arrivals = append(g.arrivals, arrival{req.URL.Query().Get("name"), time.Since(g.began)})
	return kit.Respond(req, http.StatusOK, "RateLimit", `"d";r=999999;t=60`, "RateLimit-Policy", `"d";q=1000000;w=60`), nil
}

// send makes one request in a partition. It takes a millisecond.
func (g *tollgate) send(ctx context.Context, origin, name string, priority int) {
	g.clients.Go(func() {
		err := kit.Fetch(headway.WithPriority(ctx, priority), g.transport, origin+"/?name="+url.QueryEscape(name))
		g.mu.Lock()
		defer g.mu.Unlock()
		g.failures[name] = err
	})
	time.Sleep(time.Millisecond)
	synctest.Wait()
}

// end waits until all requests have ended, and returns their names in the order of arrival.
func (g *tollgate) end() (names []string) {
	g.clients.Wait()
	for _, a := range g.arrivals {
		names = append(names, a.name)
	}
	return names
}

// failure returns the error of a request that has ended; else nil.
func (g *tollgate) failure(name string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.failures[name]
}

func (g *tollgate) waiting() (n int) {
	for _, state := range g.transport.State() {
		n += state.Waiting
	}
	return n
}

// Requests that wait for the Ceiling go in the order in which their partitions let them go, whatever their priority.
func TestCeilingSpansPartitions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newTollgate(t, &headway.Transport{})
		var want []string
		for i := range 10 {
			want = append(want, fmt.Sprint(i))
			g.send(t.Context(), origin(i), fmt.Sprint(i), i)
		}
		require.Equal(t, 10, g.waiting())
		require.Equal(t, 0, g.transport.State()[0].InFlight)
		require.Equal(t, want, g.end())
		for i, a := range g.arrivals {
			require.InDelta(t, i+1, a.at.Seconds(), 1e-3)
		}
	})
}

// A request that leaves takes no token, not even the one that was reserved for it. The next one moves up.
func TestLeavingTheCeiling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newTollgate(t, &headway.Transport{})
		reason := errors.New("no longer needed")
		ctx, cancel := context.WithCancelCause(t.Context())
		for i := range 100 {
			if i%2 == 0 {
				g.send(ctx, origin(0), fmt.Sprint("leaves ", i), 0)
			} else {
				g.send(t.Context(), origin(0), fmt.Sprint(i), 0)
			}
		}
		time.Sleep(500 * time.Millisecond)
		cancel(reason)
		synctest.Wait()
		require.Same(t, reason, g.failure("leaves 0"))
		require.Equal(t, 50, g.waiting())
		require.Len(t, g.end(), 50)
		for i, a := range g.arrivals {
			require.InDelta(t, i+1, a.at.Seconds(), 1e-3)
			require.Equal(t, fmt.Sprint(2*i+1), a.name)
		}

		ctx, cancel = context.WithCancelCause(t.Context())
		g.send(ctx, origin(0), "last", 0)
		cancel(reason)
		g.clients.Wait()
		time.Sleep(time.Second)
		require.InDelta(t, 1, g.ceiling.Tokens(), 1e-6, "what was reserved is given back")
		require.Zero(t, g.waiting())
	})
}

// A request that could not get a token in time is refused at once, by its place in the queue.
func TestPlacesAtTheCeiling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newTollgate(t, &headway.Transport{MaxWait: 10 * time.Second})
		for i := range 20 {
			g.send(t.Context(), origin(0), fmt.Sprint(i), 0)
			if i < 10 {
				require.NoError(t, g.failure(fmt.Sprint(i)), i)
			} else {
				require.ErrorIs(t, g.failure(fmt.Sprint(i)), headway.ErrMaxWait, i)
			}
		}
		ctx := kit.Within(t, 5*time.Second)
		g.send(ctx, origin(0), "in a hurry", 0)
		var limit *headway.LimitError
		require.ErrorAs(t, g.failure("in a hurry"), &limit)
		require.True(t, limit.Timeout())
		require.InDelta(t, 11, limit.Wait.Seconds(), 0.1)
		require.Less(t, time.Since(g.began), 50*time.Millisecond, "all at once")
		require.Equal(t, 10, g.waiting())
		require.Len(t, g.end(), 10)
		require.InDelta(t, 10, time.Since(g.began).Seconds(), 1e-3)
	})
}

type priorityOf struct{}

// Waiters of a higher priority go first, except at every eighth turn.
func TestPrioritiesInTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var order []int
		base := kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
			order = append(order, req.Context().Value(priorityOf{}).(int))
			return kit.Respond(req, http.StatusOK, "RateLimit", `"second";r=0;t=1`, "RateLimit-Policy", `"second";q=1;w=1`), nil
		})
		transport := kit.Seeded(t, &headway.Transport{Base: base})
		var clients sync.WaitGroup
		send := func(priority int) {
			clients.Go(func() {
				ctx := context.WithValue(headway.WithPriority(t.Context(), priority), priorityOf{}, priority)
				require.NoError(t, kit.Fetch(ctx, transport, kit.URL))
			})
			time.Sleep(time.Millisecond)
		}
		send(0)
		for range 4 {
			for _, priority := range []int{-1, 0, 1} {
				send(priority)
			}
		}
		clients.Wait()
		require.Equal(t, []int{0, 1, 1, 1, 1, 0, 0, 0, -1, 0, -1, -1, -1}, order)
	})
}
