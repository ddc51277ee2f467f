package ratelimittest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// mostAtOnce is how many requests may be sent at one instant, or after the calls have
// come to their end: more than a crowd has, and a second or so of work.
const mostAtOnce = 100_000

var (
	errStandstill = errors.New("ratelimittest: more than 100,000 requests at one instant: no time passes between them, " +
		"and a client that sends again at once never ends; give the Scenario a Latency (or the bubble's clock has come to its end, in 2262)")
	errOverrun = errors.New("ratelimittest: more than 100,000 requests after the end of the calls: a call has to end with its context, " +
		"which Scenario.Duration ends, and what goes on after all calls is for Scenario.Close to end")
)

// A network is between the clients of a Scenario and their server. Where no time
// passes on it, or clients do not heed their context, those that send again never end:
// so the network breaks down when too many requests were sent.
type network struct {
	server  http.Handler
	latency time.Duration
	end     context.CancelCauseFunc // ends the calls
	traffic traffic

	mu      sync.Mutex
	instant time.Time // guarded by mu
	sent    int       // guarded by mu; at that instant
	over    bool      // guarded by mu; the calls are, or have to be
	late    int       // guarded by mu; sent since then
	down    error     // guarded by mu; why it has broken down
	vain    int       // guarded by mu; sent since then
}

// from returns a way to the server for the client of an address.
func (n *network) from(address string) http.RoundTripper {
	return &access{network: n, transport: Transport{Handler: http.HandlerFunc(n.serve), Latency: n.latency, RemoteAddr: address}}
}

// serve goes on for a client that has gone.
func (n *network) serve(w http.ResponseWriter, r *http.Request) {
	defer n.traffic.begin()()
	n.server.ServeHTTP(w, r)
}

type access struct {
	network   *network
	transport Transport
}

func (a *access) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := a.network.send(clock(), req.Context().Err() == nil); err != nil {
		a.network.end(err)
		if req.Body != nil {
			_ = req.Body.Close() // the caller's body: there is no one to tell
		}
		return nil, err
	}
	defer a.network.traffic.begin()()
	resp, err := a.transport.RoundTrip(req)
	if err == nil && resp.Body != http.NoBody {
		resp.Body = &reading{resp.Body, &a.network.traffic}
	}
	return resp, err
}

// send counts a request, which the Transport fails unless it is wanted still, and fails
// itself if the network is down. A client that does not heed
// that either would go on for ever, and to end its goroutine, which may hold a lock that
// others wait for, is no help: then send panics.
func (n *network) send(now time.Time, wanted bool) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.down != nil {
		n.vain++
		if n.vain > mostAtOnce {
			panic(fmt.Errorf("%w; and it sends again whatever the error", n.down))
		}
		return n.down
	}
	if !now.Equal(n.instant) {
		n.instant, n.sent = now, 0
	}
	n.sent++
	if n.over && wanted {
		n.late++
	}
	switch {
	case n.sent > mostAtOnce:
		n.down = errStandstill
	case n.late > mostAtOnce:
		n.down = errOverrun
	}
	return n.down
}

// finish tells that the calls are over, or have to be.
func (n *network) finish() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.over = true
}

// failure is why the network has broken down; nil: it has not.
func (n *network) failure() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.down
}
