package interop_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/ratelimittest"
)

const (
	latency = 50 * time.Millisecond
	// address is the address of all clients, as if they were behind one router.
	address = "192.0.2.1:1234"
	// runs is the number of runs. They begin at different moments of a window, and of a second.
	runs = 5
)

// epoch is the start of the first run, on the bubble's clock.
var epoch = time.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC)

// inVirtualTime lets clients of a kind do the work in synctest bubbles, and returns the mean figures.
func (s server) inVirtualTime(t *testing.T, l load, c client) figures {
	t.Helper()
	all := make([]figures, runs)
	if kit.IsBrief() {
		all = all[:1]
	}
	for run := range all {
		all[run] = s.run(t, l, c, run)
	}
	return mean(all)
}

func (s server) run(t *testing.T, l load, c client, run int) figures {
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
		Front: func(api http.Handler) http.Handler {
			limited, end, err := s.start(api)
			require.NoError(t, err)
			stop = end
			return behindOneAddress(limited)
		},
		Close: func() { stop() },
		NewClient: func(base http.RoundTripper) *http.Client {
			return &http.Client{Transport: c.make(wire.below(base), rng, nil)}
		},
	})
	return s.count(played.Outcomes, wire.all(), played.Took, even)
}

// behindOneAddress sets the same address for all clients, as limiters by address count.
func behindOneAddress(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.RemoteAddr = address
		h.ServeHTTP(w, r)
	})
}
