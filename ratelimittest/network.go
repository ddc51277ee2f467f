package ratelimittest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/internal/memhttp"
)

// maxRequests bounds the requests at one instant, and the requests after the end of the calls. No normal test
// sends as many, and a client reaches the bound within about a second.
const maxRequests = 100_000

var errEndless = errors.New("ratelimittest: more than 100,000 requests at one instant, or after the end of the calls: " +
	"a client that sends again at once never ends, so give the Scenario a Latency; " +
	"and a call has to end with its context, which Scenario.Duration ends")

// A network connects the clients of a Scenario with their server. A test can hang in two ways: a client resends at once
// while no time passes, or a client ignores its context. So a network fails after too many requests.
type network struct {
	server  http.Handler
	latency time.Duration
	most    int                     // bound on the requests at one instant, after the end, and after the failure
	end     context.CancelCauseFunc // ends the calls
	active  atomic.Int64            // requests and handlers in progress

	mu      sync.Mutex
	instant time.Time // guarded by mu; of the latest request
	counted int       // guarded by mu; requests at that instant, or after the end of the calls
	ended   bool      // guarded by mu; the calls have ended, or have to
	err     error     // guarded by mu; why the network has failed; nil: it has not
}

// from returns the way to the server for the client with that address.
func (n *network) from(address string) http.RoundTripper {
	return &networkClient{network: n, transport: Transport{Handler: http.HandlerFunc(n.serve), Latency: n.latency, RemoteAddr: address}}
}

// serve runs the server, which is in progress even after its client has left.
func (n *network) serve(w http.ResponseWriter, r *http.Request) {
	n.active.Add(1)
	defer n.active.Add(-1)
	n.server.ServeHTTP(w, r)
}

// drain waits until nothing is in progress, and responses in transit have arrived. None may outlive the bubble, and a
// client may leave without waiting. For a handler that never returns it gives up, and the bubble reports that.
func (n *network) drain() {
	const longest = 1 << 60
	for wait := time.Millisecond; wait < longest; wait *= 2 {
		_ = memhttp.Sleep(context.Background(), n.latency)
		synctest.Wait()
		if n.active.Load() == 0 {
			return
		}
		_ = memhttp.Sleep(context.Background(), wait)
	}
}

type networkClient struct {
	network   *network
	transport Transport
}

func (c *networkClient) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := c.network.send(clock(), req.Context().Err() == nil); err != nil {
		c.network.end(err)
		if req.Body != nil {
			_ = req.Body.Close() // nobody would handle the error
		}
		return nil, err
	}
	c.network.active.Add(1)
	defer c.network.active.Add(-1)
	return c.transport.RoundTrip(req)
}

// send counts a request, and fails if the network has failed. isOpen says whether the request's context is
// still open; the Transport fails the other requests itself.
//
// If a client ignores these errors, too, send panics. Ending the client's goroutine would not help, because
// it may hold a lock for which others wait.
func (n *network) send(now time.Time, isOpen bool) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !now.Equal(n.instant) && !n.ended {
		n.counted = 0
	}
	n.instant = now
	if isOpen || n.err != nil || !n.ended {
		n.counted++
	}
	switch {
	case n.counted > 2*n.most:
		panic(fmt.Errorf("%w; and it sends again whatever the error", errEndless))
	case n.counted > n.most:
		n.err = errEndless
		n.ended = true
	}
	return n.err
}

// finish marks the calls as ended. It returns why the network has failed, or nil.
func (n *network) finish() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.ended {
		n.ended, n.counted = true, 0
	}
	return n.err
}
