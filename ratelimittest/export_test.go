package ratelimittest

import (
	"net/http"
	"time"

	"github.com/headway-go/headway/internal/meter"
)

// What the tests of the package from outside look at.
const MaxClients = meter.MaxClients

var ErrNoGetBody = errNoGetBody

func ClientOf(r *http.Request) string { return clientOf(r) }

// Granted returns how many requests of cost 1 a greedy client gets from a Limiter like l between start and start+d.
func Granted(l Limiter, start time.Time, d time.Duration) int64 {
	n, _ := grants(freshOrSame(l), start, start.Add(d), 1)
	return n
}

// Hastier returns a Scenario that fails after a thousand requests too many, instead of 100,000, which take seconds.
func (s *Scenario) Hastier() Scenario {
	hasty := *s
	hasty.most = 1000
	return hasty
}
