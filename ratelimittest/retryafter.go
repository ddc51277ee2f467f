package ratelimittest

import (
	"net/http"
	"time"
)

// RetryAfterSeconds is a Dialect that writes Retry-After in seconds (RFC 9110 §10.2.3), if the Decision has a
// RetryAfter. A Handler uses it for refusals by default.
func RetryAfterSeconds(h http.Header, _ time.Time, d Decision) {
	if d.RetryAfter > 0 {
		h.Set("Retry-After", seconds(d.RetryAfter))
	}
}

// RetryAfterDate is a Dialect that writes Retry-After as a date (RFC 9110 §5.6.7), as crates.io does, if the
// Decision has a RetryAfter. Together(RetryAfterSeconds, RetryAfterDate) writes two lines, as a server and a
// proxy in front of it may do.
func RetryAfterDate(h http.Header, now time.Time, d Decision) {
	if d.RetryAfter > 0 {
		h.Set("Retry-After", httpDate(roundUp(now.Add(d.RetryAfter), time.Second)))
	}
}

// RetryingAfter returns a Dialect that calls d with RetryAfter set to wait in every response, whatever the
// limiter decides. If wait is 0 or negative, there is no RetryAfter. go-chi/httprate always asks for a whole
// window. Flask-Limiter can send Retry-After with responses that are not refusals, for which a Handler does
// not call its own RetryAfter:
//
//	h.Dialect = Together(XRateLimit, RetryingAfter(RetryAfterSeconds, time.Minute))
func RetryingAfter(d Dialect, wait time.Duration) Dialect {
	return func(h http.Header, now time.Time, decision Decision) {
		decision.RetryAfter = wait
		d(h, now, decision)
	}
}

func httpDate(t time.Time) string { return t.UTC().Format(http.TimeFormat) }
