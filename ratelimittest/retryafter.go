package ratelimittest

import (
	"net/http"
	"time"
)

// RetryAfterSeconds writes Retry-After in seconds (RFC 9110 §10.2.3) if the
// decision says when to come back. It is what a Handler uses on refusals.
func RetryAfterSeconds(h http.Header, _ time.Time, d Decision) {
	if d.RetryAfter > 0 {
		h.Set("Retry-After", seconds(d.RetryAfter))
	}
}

// RetryAfterDate writes Retry-After as a date (RFC 9110 §5.6.7) if the decision
// says when to come back, as crates.io does. Together(RetryAfterSeconds,
// RetryAfterDate) writes both, on two lines, as when a server and a proxy before
// it both have their say.
func RetryAfterDate(h http.Header, now time.Time, d Decision) {
	if d.RetryAfter > 0 {
		h.Set("Retry-After", httpDate(roundUp(now.Add(d.RetryAfter), time.Second)))
	}
}

// RetryingAfter is d with one time to come back for all responses, whatever the
// limiter says: positive to wait so long, 0 or negative for none. go-chi/httprate
// always asks for a whole window; Flask-Limiter can ask on responses that are not
// refusals, where a Handler's own RetryAfter is silent:
//
//	h.Dialect = Together(XRateLimit, RetryingAfter(RetryAfterSeconds, time.Minute))
func RetryingAfter(d Dialect, wait time.Duration) Dialect {
	return func(h http.Header, now time.Time, decision Decision) {
		decision.RetryAfter = wait
		d(h, now, decision)
	}
}

// httpDate cuts off the fraction of t.
func httpDate(t time.Time) string { return t.UTC().Format(http.TimeFormat) }
