package ratelimittest

import (
	"net/http"
	"slices"
	"time"
)

// Skewed returns a Dialect for a server whose clock is ahead by that much, or behind if ahead is negative.
// The points in time of d and the Date field both use the wrong clock, so a client can correct them. If the
// Handler's RetryAfter writes a date, skew it as well, as a server has one clock.
//
// Date is the time of the decision. So the clock of a server that responds slowly seems to be further behind.
func Skewed(d Dialect, ahead time.Duration) Dialect {
	return func(h http.Header, now time.Time, decision Decision) {
		now = now.Add(ahead)
		h.Set("Date", httpDate(now))
		d(h, now, decision)
	}
}

// Unsynchronised is Skewed with a correct Date, such as one that a proxy with another clock writes. A client
// cannot detect the skew. If ahead is negative, the points in time of d are in the past. A recorded response
// of Anthropic's API has a reset one second before its Date.
func Unsynchronised(d Dialect, ahead time.Duration) Dialect {
	return func(h http.Header, now time.Time, decision Decision) {
		d(h, now.Add(ahead), decision)
	}
}

// FlooredTimes returns a Dialect whose points in time are rounded down instead of up. They are too early by
// up to a second, as at Bluesky. Delays become the difference of two such points, so they are too long or too
// short by up to a second.
func FlooredTimes(d Dialect) Dialect {
	return func(h http.Header, now time.Time, decision Decision) {
		then := now.Truncate(time.Second)
		decision = decision.withDelays(func(delay time.Duration) time.Duration {
			return now.Add(delay).Truncate(time.Second).Sub(then)
		})
		d(h, then, decision)
	}
}

// FlooredDelays returns a Dialect whose delays are rounded down instead of up. They are too short by up to a
// second, and 0 in the last second. Django REST framework and koa-ratelimit round their Retry-After this way.
// A Retry-After below a second is left out.
func FlooredDelays(d Dialect) Dialect {
	return func(h http.Header, now time.Time, decision Decision) {
		d(h, now, decision.withDelays(func(delay time.Duration) time.Duration {
			return delay.Truncate(time.Second)
		}))
	}
}

// withDelays returns d with change applied to its resets and its RetryAfter.
func (d Decision) withDelays(change func(time.Duration) time.Duration) Decision {
	d.Limits = slices.Clone(d.Limits) // the slice belongs to the limiter
	for i := range d.Limits {
		if l := &d.Limits[i]; l.Reset >= 0 {
			l.Reset = change(l.Reset)
		}
	}
	if d.RetryAfter > 0 {
		d.RetryAfter = change(d.RetryAfter)
	}
	return d
}
