package interop_test

import (
	"math/rand/v2"
	"time"

	"github.com/headway-go/headway/internal/test/sim"
	"github.com/headway-go/headway/ratelimittest"
)

const (
	workers = 8 // of each client
	fleet   = 4 // clients
	// lightly is the part of the quota that light use needs.
	lightly = 0.3
)

// A load is the work that clients have for a server.
type load struct {
	name    string
	clients int
	// work returns the work of each client. even is how long all of it takes at the server's even rate.
	work func(s server, rng *rand.Rand) (work ratelimittest.Workload, even time.Duration)
}

func loads() []load { return []load{alone, together, light} }

var (
	alone = load{"one client", 1, func(s server, _ *rand.Rand) (ratelimittest.Workload, time.Duration) {
		return s.batches(1)
	}}
	together = load{"a fleet of four", fleet, func(s server, _ *rand.Rand) (ratelimittest.Workload, time.Duration) {
		return s.batches(fleet)
	}}
	light = load{"light use", 1, func(s server, rng *rand.Rand) (ratelimittest.Workload, time.Duration) {
		n := int(lightly * float64(s.quota*s.windows))
		work := sim.Poisson(rng, n, time.Duration(float64(s.every())/lightly))
		return work, work[n-1]
	}}
)

// batches returns the work of several windows, divided equally among the clients.
func (s server) batches(clients int) (work ratelimittest.Workload, even time.Duration) {
	requests := s.quota * s.windows / clients
	return ratelimittest.Batch{Requests: requests, Workers: workers}, time.Duration(requests*clients) * s.every()
}
