package ratelimittest

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"sync"
	"time"
)

// mostAtOnce is how many requests may be sent at one instant: more than a crowd has,
// and a second or so of work.
const mostAtOnce = 100_000

var errStandstill = errors.New("ratelimittest: more than 100,000 requests at one instant: no time passes between them, " +
	"and a client that sends again at once never ends; give the Scenario a Latency (or the bubble's clock has come to its end, in 2262)")

// A network is between the clients of a Scenario and their server. Where no time
// passes on it, a client that sends again at once never ends: so the network breaks
// down when too many requests were sent at one instant.
type network struct {
	server  http.Handler
	latency time.Duration
	end     context.CancelCauseFunc // ends the calls

	mu      sync.Mutex
	instant time.Time // guarded by mu
	sent    int       // guarded by mu; at that instant, and all since the network is down
}

// from returns a way to the server for the client of an address.
func (n *network) from(address string) http.RoundTripper {
	return &access{network: n, transport: Transport{Handler: n.server, Latency: n.latency, RemoteAddr: address}}
}

type access struct {
	network   *network
	transport Transport
}

func (a *access) RoundTrip(req *http.Request) (*http.Response, error) {
	if a.network.send(clock()) {
		return a.transport.RoundTrip(req)
	}
	a.network.end(errStandstill)
	if req.Body != nil {
		_ = req.Body.Close() // the caller's body: there is no one to tell
	}
	return nil, errStandstill
}

// send counts a request, and returns whether it may be sent. When the network is down,
// clients get errors; those that do not heed them are ended.
func (n *network) send(now time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !now.Equal(n.instant) && n.sent <= mostAtOnce {
		n.instant, n.sent = now, 0
	}
	n.sent++
	if n.sent > 2*mostAtOnce {
		runtime.Goexit()
	}
	return n.sent <= mostAtOnce
}

func (n *network) stoodStill() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.sent > mostAtOnce
}
