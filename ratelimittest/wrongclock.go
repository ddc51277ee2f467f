package ratelimittest

import (
	"net/http"
	"slices"
	"time"
)

// Skewed is d of a server whose clock is ahead of the right time, or behind it if
// ahead is negative, as any clock is that nobody sets. The points in time of d
// and Date go by that clock, so a client can tell. A Handler whose RetryAfter
// writes a date needs that skewed as well: a server has one clock.
//
// Date is that of the decision, so a server that takes long to answer seems
// further behind.
func Skewed(d Dialect, ahead time.Duration) Dialect {
	return func(h http.Header, now time.Time, decision Decision) {
		now = now.Add(ahead)
		h.Set("Date", httpDate(now))
		d(h, now, decision)
	}
}

// Unsynchronised is Skewed with a Date from another clock that is right, such as
// a proxy's: the client cannot tell. A negative ahead puts the points in time of
// d into the past; a response of Anthropic's API is on record whose reset lies a
// second before its Date.
func Unsynchronised(d Dialect, ahead time.Duration) Dialect {
	return func(h http.Header, now time.Time, decision Decision) {
		d(h, now.Add(ahead), decision)
	}
}

// FlooredTimes is d with the fraction of points in time cut off, where it should
// be rounded up: they are too early by up to a second, as at Bluesky. A delay
// becomes the time between two such points, too long or too short by up to a
// second.
func FlooredTimes(d Dialect) Dialect {
	return func(h http.Header, now time.Time, decision Decision) {
		then := now.Truncate(time.Second)
		decision = decision.withDelays(func(delay time.Duration) time.Duration {
			return now.Add(delay).Truncate(time.Second).Sub(then)
		})
		d(h, then, decision)
	}
}

// FlooredDelays is d with the fraction of delays cut off: they are too short by up
// to a second, and 0 in the last one. Django REST framework and koa-ratelimit cut
// their Retry-After like this. A Retry-After of less than a second is left out.
func FlooredDelays(d Dialect) Dialect {
	return func(h http.Header, now time.Time, decision Decision) {
		d(h, now, decision.withDelays(func(delay time.Duration) time.Duration {
			return delay.Truncate(time.Second)
		}))
	}
}

// withDelays returns d with the delays that it tells changed.
func (d Decision) withDelays(change func(time.Duration) time.Duration) Decision {
	d.Limits = slices.Clone(d.Limits) // they are the limiter's
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
