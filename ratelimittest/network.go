package ratelimittest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// maxAtOnce bounds the requests at one instant, and the requests after the end of the calls. No normal test
// sends as many, and a client reaches the bound within about a second.
const maxAtOnce = 100_000

var (
	errStandstill = errors.New("ratelimittest: more than 100,000 requests at one instant: no time passes between them, " +
		"and a client that sends again at once never ends; give the Scenario a Latency (or the bubble's clock has come to its end, in 2262)")
	errOverrun = errors.New("ratelimittest: more than 100,000 requests after the end of the calls: a call has to end with its context, " +
		"which Scenario.Duration ends, and what goes on after all calls is for Scenario.Close to end")
)

// A network connects the clients of a Scenario with their server. A test can hang in two ways: a client
// resends at once while no time passes, or a client ignores its context. So a network fails after too many
// requests.
type network struct {
	server  http.Handler
	latency time.Duration
	end     context.CancelCauseFunc // ends the calls
	traffic traffic
	most    int // bound on the requests at one instant, after the end, and after the failure

	mu           sync.Mutex
	instant      time.Time // guarded by mu; of the latest request
	atInstant    int       // guarded by mu; requests at that instant
	ended        bool      // guarded by mu; the calls have ended, or have to
	afterEnd     int       // guarded by mu; requests after the end of the calls
	err          error     // guarded by mu; why the network has failed; nil: it has not
	afterFailure int       // guarded by mu; requests after the failure
}

// from returns the way to the server for the client with that address.
func (n *network) from(address string) http.RoundTripper {
	return &networkClient{network: n, transport: Transport{Handler: http.HandlerFunc(n.serve), Latency: n.latency, RemoteAddr: address}}
}

// serve runs the server, which counts as traffic even after its client has left.
func (n *network) serve(w http.ResponseWriter, r *http.Request) {
	defer n.traffic.begin()()
	n.server.ServeHTTP(w, r)
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
	defer c.network.traffic.begin()()
	resp, err := c.transport.RoundTrip(req)
	if err == nil && resp.Body != http.NoBody {
		resp.Body = &countedBody{resp.Body, &c.network.traffic}
	}
	return resp, err
}

// send counts a request, and fails if the network has failed. open says whether the request's context is
// still open; the Transport fails the other requests itself.
//
// If a client ignores these errors, too, send panics. Ending the client's goroutine would not help, because
// it may hold a lock for which others wait.
func (n *network) send(now time.Time, open bool) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.err != nil {
		n.afterFailure++
		if n.afterFailure > n.most {
			panic(fmt.Errorf("%w; and it sends again whatever the error", n.err))
		}
		return n.err
	}
	if !now.Equal(n.instant) {
		n.instant, n.atInstant = now, 0
	}
	n.atInstant++
	if n.ended && open {
		n.afterEnd++
	}
	switch {
	case n.atInstant > n.most:
		n.err = errStandstill
	case n.afterEnd > n.most:
		n.err = errOverrun
	}
	return n.err
}

// finish marks the calls as ended.
func (n *network) finish() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ended = true
}

// failure returns why the network has failed, or nil.
func (n *network) failure() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.err
}
