package ratelimittest

import (
	"net/http"
	"time"
)

// Throttlers is the dialect of NestJS's throttlers, each with a name of its own behind
// every field, which is that of its policy, and a reset in seconds from now:
//
//	X-RateLimit-Limit-Short: 3
//	X-RateLimit-Remaining-Short: 2
//	X-RateLimit-Reset-Short: 1
//	X-RateLimit-Limit-Long: 100
//	X-RateLimit-Remaining-Long: 99
//	X-RateLimit-Reset-Long: 60
//
// Of a limit that refuses it tells the time to come back and nothing else, so that a Handler
// with this dialect needs Silent for its RetryAfter:
//
//	Retry-After-Short: 1
//
// A policy without a name has the plain names. Whatever in a name is neither letter, digit nor
// underscore of ASCII becomes a hyphen.
func Throttlers(h http.Header, _ time.Time, d Decision) {
	for _, l := range d.Limits {
		suffix := ""
		if l.Policy != "" {
			suffix = "-" + dimension(l.Policy)
		}
		if wait := d.waitFor(l); wait >= 0 {
			h.Set("Retry-After"+suffix, seconds(wait))
			continue
		}
		h.Set("X-RateLimit-Limit"+suffix, count(l.Quota))
		h.Set("X-RateLimit-Remaining"+suffix, count(l.Remaining))
		if l.Reset >= 0 {
			h.Set("X-RateLimit-Reset"+suffix, seconds(l.Reset))
		}
	}
}

// waitFor is how long a refusal is because of that limit; negative if it is not, or that is not known.
func (d Decision) waitFor(l Limit) time.Duration {
	switch {
	case d.Allowed || l.Remaining > 0:
		return -1
	case l.Reset < 0 || d.RetryAfter > 0 && d.RetryAfter < l.Reset:
		return d.RetryAfter
	}
	return l.Reset
}
