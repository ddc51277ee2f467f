package interop_test

import (
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/ratelimittest"
)

const (
	latency = 50 * time.Millisecond
	// address is that of all clients as a server sees them, as if they were behind one router.
	address = "192.0.2.1:1234"
)

// epoch is when the first run begins, on the bubble's clock.
var epoch = time.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC)

// inVirtualTime has clients of a kind do the work in a bubble. The nth run begins at another moment of a window and of
// a second.
func (s server) inVirtualTime(t *testing.T, l load, c client, run int) figures {
	t.Helper()
	work, even := l.work(s, kit.Chance(t, s.name+l.name, run))
	rng := kit.Chance(t, s.name+l.name+c.name, run)
	var wire wire
	stop := nothing
	played := ratelimittest.Run(t, ratelimittest.Scenario{
		Clients: l.clients,
		Load:    work,
		Latency: latency,
		Start:   epoch.Add(time.Duration(run) * (s.window/runs + 1370*time.Millisecond)),
		Faults: []ratelimittest.Fault{func(api http.Handler) http.Handler {
			limited, end, err := s.start(api)
			require.NoError(t, err)
			stop = end
			return behindOneAddress(limited)
		}},
		Close:     func() { stop() },
		NewClient: func(base http.RoundTripper) *http.Client { return s.client(wire.below(base), c, rng) },
	})
	return s.count(played.Outcomes, wire.all(), played.Took, even)
}

// client makes a client of a kind that sends by base.
func (s server) client(base http.RoundTripper, c client, rng *rand.Rand) *http.Client {
	return &http.Client{Transport: c.make(base, rng, nil)}
}

// behindOneAddress lets a handler take all clients for one, as limiters by address do.
func behindOneAddress(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.RemoteAddr = address
		h.ServeHTTP(w, r)
	})
}
