package ratelimittest

import (
	"net/http"
	"time"
)

// XRateLimit is the most common dialect, although no document defines it. Its reset is a point in time, in
// seconds since 1970 on the server's clock:
//
//	X-RateLimit-Limit: 100
//	X-RateLimit-Remaining: 50
//	X-RateLimit-Reset: 1700000030
//
// GitHub, ClickUp, SendGrid and Laravel use it.
func XRateLimit(h http.Header, now time.Time, d Decision) {
	if l, ok := d.tightest(); ok {
		setTrio(h, "X-RateLimit-", l, epochSeconds(now, l))
	}
}

// XRateLimitDelta is XRateLimit with a reset in seconds from now, as behind Envoy and at Datadog:
//
//	X-RateLimit-Limit: 100
//	X-RateLimit-Remaining: 50
//	X-RateLimit-Reset: 30
func XRateLimitDelta(h http.Header, _ time.Time, d Decision) {
	if l, ok := d.tightest(); ok {
		setTrio(h, "X-RateLimit-", l, seconds(l.Reset))
	}
}

// XRateLimitCounts is XRateLimit without a reset, as Laravel's throttle sends it with allowed requests. It is
// also what arrives if a proxy removes the reset:
//
//	X-RateLimit-Limit: 100
//	X-RateLimit-Remaining: 50
func XRateLimitCounts(h http.Header, _ time.Time, d Decision) {
	if l, ok := d.tightest(); ok {
		l.Reset = -1
		setTrio(h, "X-RateLimit-", l, "")
	}
}

// XRateLimitMillis is XRateLimit with a reset in milliseconds since 1970, rounded up, as at OpenRouter:
//
//	X-RateLimit-Limit: 100
//	X-RateLimit-Remaining: 50
//	X-RateLimit-Reset: 1700000029125
func XRateLimitMillis(h http.Header, now time.Time, d Decision) {
	if l, ok := d.tightest(); ok {
		setTrio(h, "X-RateLimit-", l, count(roundUp(now.Add(l.Reset), time.Millisecond).UnixMilli()))
	}
}

// XRateLimitRFC3339 is XRateLimit with a reset as date and time of RFC 3339, in UTC, as at Jira Cloud and
// Mastodon:
//
//	X-RateLimit-Limit: 100
//	X-RateLimit-Remaining: 50
//	X-RateLimit-Reset: 2023-11-14T22:13:50Z
func XRateLimitRFC3339(h http.Header, now time.Time, d Decision) {
	if l, ok := d.tightest(); ok {
		reset := roundUp(now.Add(l.Reset), time.Second)
		setTrio(h, "X-RateLimit-", l, reset.UTC().Format(time.RFC3339))
	}
}

func epochSeconds(now time.Time, l Limit) string {
	return count(roundUp(now.Add(l.Reset), time.Second).Unix())
}
