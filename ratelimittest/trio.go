package ratelimittest

import (
	"net/http"
	"strings"
	"time"
)

// Trio is the dialect of the drafts up to 06, with the policies as in
// draft-ietf-httpapi-ratelimit-headers-06 (§2, §3):
//
//	RateLimit-Policy: 100;w=60
//	RateLimit-Limit: 100
//	RateLimit-Remaining: 50
//	RateLimit-Reset: 30
//
// It tells the tightest limit, and the policies of all that have a window, of
// those of one quota only one, as Draft07 does. It is express-rate-limit's draft-6;
// PagerDuty and Resend send the three without the policies.
func Trio(h http.Header, _ time.Time, d Decision) {
	l, ok := d.tightest()
	if !ok {
		return
	}
	setPolicies(h, d.namelessPolicies(l))
	setTrio(h, "RateLimit-", l.structured(), seconds(l.Reset))
}

// TrioInLimit is Trio with the policies behind the limit, as in the drafts up to
// draft-ietf-httpapi-ratelimit-headers-03 (§5.1):
//
//	RateLimit-Limit: 100, 100;w=60
//	RateLimit-Remaining: 50
//	RateLimit-Reset: 30
//
// Those drafts require a reset (§3), so that a limit without one is not told. Envoy
// writes its x-ratelimit-limit like this.
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

// TrioEpoch is Trio, without policies, with a point in time for a reset, in
// seconds since 1970 on the server's clock:
//
//	RateLimit-Limit: 100
//	RateLimit-Remaining: 50
//	RateLimit-Reset: 1700000030
//
// No draft allows it, but GitLab, DigitalOcean, Bluesky and Twitch do it.
func TrioEpoch(h http.Header, now time.Time, d Decision) {
	if l, ok := d.tightest(); ok {
		setTrio(h, "RateLimit-", l.structured(), epochSeconds(now, l))
	}
}
