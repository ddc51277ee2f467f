package ratelimittest

import (
	"slices"
	"time"
)

// Hidden returns a Limiter that decides as l, bans included, and tells nothing: no
// limits, and on a refusal no time to come back, a bare 429. All(visible, Hidden(tight)) is a
// server with a tighter limit than the one it shows, such as the secondary rate
// limits of GitHub.
func Hidden(l Limiter) Limiter {
	return telling(l, func(_ time.Time, d Decision) Decision {
		return Decision{Allowed: d.Allowed, Banned: d.Banned}
	})
}

// Understate returns a Limiter that decides as l, but from from until until it
// tells that less remains than does: by less of each limit, and not below 0. It
// is the server of draft-ietf-httpapi-ratelimit-headers-10 that lowers r to slow
// its clients down without refusing any (Appendix B.1.3, B.2.2; §6), and serves
// requests while r is 0 (B.1.1).
//
// by is in quota units; 0 or negative: none. A zero until: for good. One that is
// otherwise not after from: never.
func Understate(l Limiter, by int64, from, until time.Time) Limiter {
	s := span{from, until}
	return telling(l, func(now time.Time, d Decision) Decision {
		if !s.has(now) {
			return d
		}
		d.Limits = slices.Clone(d.Limits) // they are the limiter's
		for i := range d.Limits {
			d.Limits[i].Remaining = max(d.Limits[i].Remaining-max(by, 0), 0)
		}
		return d
	})
}

// telling returns l with decisions told in another way.
func telling(l Limiter, tell func(now time.Time, d Decision) Decision) Limiter {
	t := &told{l, tell}
	if f, ok := forecasts(l); ok {
		return &foretold{t, f}
	}
	return t
}

type told struct {
	limiter Limiter
	tell    func(now time.Time, d Decision) Decision
}

// A foretold is a told whose limiter can forecast.
type foretold struct {
	*told
	forecaster
}

// Take implements Limiter.
func (t *told) Take(now time.Time, client string, cost int64) Decision {
	return t.tell(now, t.limiter.Take(now, client, cost))
}

// Release implements Releaser.
func (t *told) Release(now time.Time, client string, cost int64) {
	release(t.limiter, now, client, cost)
}

// release hands a Release on, if l counts requests in flight.
func release(l Limiter, now time.Time, client string, cost int64) {
	if r, ok := l.(Releaser); ok {
		r.Release(now, client, cost)
	}
}
