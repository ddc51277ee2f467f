package ratelimittest

import (
	"net/http"
	"strings"
	"time"
)

// Trio is the dialect of draft-ietf-httpapi-ratelimit-headers-06 (§2, §3), with three fields for the tightest
// limit:
//
//	RateLimit-Policy: 100;w=60
//	RateLimit-Limit: 100
//	RateLimit-Remaining: 50
//	RateLimit-Reset: 30
//
// RateLimit-Policy has the policies of all limits with a window, but one per quota, as in Draft07. Trio
// corresponds to draft-6 of express-rate-limit. PagerDuty and Resend send the three fields without
// RateLimit-Policy.
func Trio(h http.Header, _ time.Time, d Decision) {
	l, ok := d.tightest()
	if !ok {
		return
	}
	setPolicies(h, d.namelessPolicies(l))
	setTrio(h, "RateLimit-", l.structured(), seconds(l.Reset))
}

// TrioInLimit is Trio with the policies in RateLimit-Limit, as in draft-ietf-httpapi-ratelimit-headers-03
// (§5.1) and earlier drafts:
//
//	RateLimit-Limit: 100, 100;w=60
//	RateLimit-Remaining: 50
//	RateLimit-Reset: 30
//
// These drafts require a reset (§3), so limits without one are left out. Envoy's x-ratelimit-limit has this
// form.
func TrioInLimit(h http.Header, _ time.Time, d Decision) {
	d.Limits = withReset(d.Limits)
	l, ok := d.tightest()
	if !ok {
		return
	}
	policies := d.namelessPolicies(l)
	l = l.structured()
	setTrio(h, "RateLimit-", l, seconds(l.Reset))
	h.Set("RateLimit-Limit", strings.Join(append([]string{count(l.Quota)}, policies...), ", "))
}

// TrioEpoch is Trio without policies. Its reset is a point in time, in seconds since 1970 on the server's
// clock:
//
//	RateLimit-Limit: 100
//	RateLimit-Remaining: 50
//	RateLimit-Reset: 1700000030
//
// No draft allows this, but GitLab, DigitalOcean, Bluesky and Twitch do it.
func TrioEpoch(h http.Header, now time.Time, d Decision) {
	if l, ok := d.tightest(); ok {
		setTrio(h, "RateLimit-", l.structured(), epochSeconds(now, l))
	}
}
