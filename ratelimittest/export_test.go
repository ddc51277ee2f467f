package ratelimittest

import "net/http"

var ErrNoGetBody = errNoGetBody

func ClientOf(r *http.Request) string { return clientOf(r) }

// Hastier returns a Scenario that fails after a thousand requests too many, instead of 100,000, which take seconds.
func (s *Scenario) Hastier() Scenario {
	hasty := *s
	hasty.most = 1000
	return hasty
}
