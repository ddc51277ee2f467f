package ratelimittest

import (
	"net/http"
	"time"
)

// Throttlers is the dialect of NestJS's throttlers. Each policy has fields of its own, with the policy's name
// at the end of the field's name. The reset is in seconds from now:
//
//	X-RateLimit-Limit-Short: 3
//	X-RateLimit-Remaining-Short: 2
//	X-RateLimit-Reset-Short: 1
//	X-RateLimit-Limit-Long: 100
//	X-RateLimit-Remaining-Long: 99
//	X-RateLimit-Reset-Long: 60
//
// A limit that refuses the request has only this field:
//
//	Retry-After-Short: 1
//
// So a Handler with this dialect needs RetryAfter: Silent. A policy without a name has fields without a
// suffix. Each character of a name that is not an ASCII letter, digit or underscore becomes a hyphen.
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

// waitFor returns how long l refuses the request. It is negative if l does not refuse it, or the time is not
// known.
func (d Decision) waitFor(l Limit) time.Duration {
	switch {
	case d.Allowed || l.Remaining > 0:
		return -1
	case l.Reset < 0 || d.RetryAfter > 0 && d.RetryAfter < l.Reset:
		return d.RetryAfter
	}
	return l.Reset
}
