package ratelimittest

import (
	"slices"
	"time"
)

// Hidden returns a Limiter that decides as l, bans included, but reports neither limits nor RetryAfter. A
// refusal is a bare 429. All(visible, Hidden(tight)) is a server with a tighter limit than the one it
// reports, such as GitHub's secondary rate limits.
func Hidden(l Limiter) Limiter {
	return altering(l, func(_ time.Time, d Decision) Decision {
		return Decision{Allowed: d.Allowed, Banned: d.Banned}
	})
}

// Understate returns a Limiter that decides as l, but reports less remaining quota in [from, until). It
// subtracts by units from each limit's Remaining, down to 0. A server may lower r to slow its clients down
// without refusals (draft-ietf-httpapi-ratelimit-headers-10 Appendix B.1.3, B.2.2; §6). It may also serve
// requests while r is 0 (B.1.1).
//
// If by is 0 or negative, nothing changes. If until is zero, the span never ends. If until is another time
// that is not after from, nothing changes.
func Understate(l Limiter, by int64, from, until time.Time) Limiter {
	s := span{from, until}
	return altering(l, func(now time.Time, d Decision) Decision {
		if !s.has(now) {
			return d
		}
		d.Limits = slices.Clone(d.Limits) // the slice belongs to the limiter
		for i := range d.Limits {
			d.Limits[i].Remaining = max(d.Limits[i].Remaining-max(by, 0), 0)
		}
		return d
	})
}

// altering returns a Limiter that decides as l, with alter applied to each Decision.
func altering(l Limiter, alter func(now time.Time, d Decision) Decision) Limiter {
	a := &altered{l, alter}
	if f, ok := asForecaster(l); ok {
		return &forecastingAltered{a, f}
	}
	return a
}

type altered struct {
	limiter Limiter
	alter   func(now time.Time, d Decision) Decision
}

// A forecastingAltered is an altered forecaster.
type forecastingAltered struct {
	*altered
	forecaster
}

// Take implements Limiter.
func (a *altered) Take(now time.Time, client string, cost int64) Decision {
	return a.alter(now, a.limiter.Take(now, client, cost))
}

// Release implements Releaser.
func (a *altered) Release(now time.Time, client string, cost int64) {
	release(a.limiter, now, client, cost)
}

// release calls l.Release if l is a Releaser.
func release(l Limiter, now time.Time, client string, cost int64) {
	if r, ok := l.(Releaser); ok {
		r.Release(now, client, cost)
	}
}
