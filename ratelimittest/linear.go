package ratelimittest

import (
	"math"
	"sync"
	"time"
)

// Linear is the linear rate limit, also known as the generic cell rate
// algorithm (ITU-T I.371 Annex A, the virtual scheduling form): quota comes back
// continuously, one unit every Window/Quota, up to Quota. With the header fields
// it is described in https://dotat.at/@/2026-01-13-http-ratelimit.html.
//
// It keeps one timestamp per client, a point in time that trails now by the
// time d that the client has not used. For each request the timestamp is
//
//   - clamped to [now − Window, now + Penalty],
//   - moved on by its price, Window/Quota × cost, and
//   - stored if that is not after now: the request is allowed.
//
// Three forms differ in what becomes of the timestamp on a refusal:
//
//   - lenient, the default: it stays, so that refused requests are free;
//   - strict: it moves on too, but not beyond now, so that the client loses all
//     that it had left and has to keep still for the price of a request;
//   - penalty: it moves on, but not beyond now + Penalty, so that each further
//     attempt keeps the client out for longer, up to Penalty and the price.
//
// Afterwards r = d × Quota/Window, rounded down, and t = d: the time in which the
// client used nothing that it could have used. If the timestamp lies in the
// future, then r = 0, and t is the time until it does not, from when on quota
// comes back. RetryAfter is the time until the timestamp, where it is now, may be
// moved on by the price: the price − d. A cost above Quota is never allowed, and
// in the strict forms costs as much as the clamp permits.
//
// The zero value refuses everything; set Quota and Window, or use NewLinear. A
// Linear is safe for concurrent use, must not be copied after first use, and
// keeps at most MaxClients timestamps, none of them for longer than Window and
// Penalty without requests. Times are whole nanoseconds, so that a unit costs up
// to one nanosecond less than Window/Quota.
type Linear struct {
	Policy

	// Strict charges refused requests as well. The name is that of the ratelimit
	// condition of Exim (specification, "Rate limiting incoming messages").
	Strict bool
	// Penalty is how far into the future refused requests move the timestamp. If
	// positive, refused requests are charged whether or not Strict is set. 0 or
	// negative: none.
	Penalty time.Duration

	mu      sync.Mutex
	clients table[time.Time] // guarded by mu
}

// NewLinear returns a lenient Linear that allows each client quota units per
// window.
func NewLinear(quota int64, window time.Duration) *Linear {
	return &Linear{Policy: Policy{Quota: quota, Window: window}}
}

// Take implements Limiter.
func (l *Linear) Take(now time.Time, client string, cost int64) Decision {
	quota, window, penalty := l.quota(now), l.window(), l.penalty()
	price, ever := linearPrice(quota, window, cost)

	l.mu.Lock()
	defer l.mu.Unlock()
	l.clients.forget(now.Add(-window - penalty))
	stamp := l.clients.get(client, now.Add(-window))
	unused := l.unused(now, stamp)
	allowed := ever && price <= unused || cost <= 0
	if price > 0 && (allowed || l.Strict || penalty > 0) {
		left := unused - min(price, unused+penalty) // the timestamp moves on, but not beyond now + penalty
		if left < unused {                          // a now that goes backwards must not give back what was charged
			unused, stamp = left, now.Add(-left)
			l.clients.put(client, now, stamp)
		}
	}

	remaining := mulDiv(int64(max(unused, 0)), quota, int64(window))
	d := Decision{Allowed: allowed, Limits: []Limit{l.limit(client, quota, remaining, unused.Abs())}}
	if !allowed && ever {
		d.RetryAfter = stamp.Add(price).Sub(now)
	}
	return d
}

func (l *Linear) next(now time.Time, client string, cost int64) (time.Time, bool) {
	window := l.window()
	price, ever := linearPrice(l.quota(now), window, cost)

	l.mu.Lock()
	defer l.mu.Unlock()
	stamp := l.clients.get(client, now.Add(-window))
	if !ever || cost <= 0 || price <= l.unused(now, stamp) {
		return now, ever
	}
	return stamp.Add(price), true
}

// unused returns how far a client's timestamp trails now, a window at most:
// negative if it lies in the future.
func (l *Linear) unused(now, stamp time.Time) time.Duration {
	return min(now.Sub(stamp), l.window())
}

// penalty returns Penalty, held where it and Window together are a Duration.
func (l *Linear) penalty() time.Duration {
	return min(max(l.Penalty, 0), math.MaxInt64-l.window())
}

// linearPrice returns how far a request moves the timestamp, and false if it is
// never allowed.
func linearPrice(quota int64, window time.Duration, cost int64) (time.Duration, bool) {
	switch {
	case cost <= 0:
		return 0, true
	case cost > quota:
		return math.MaxInt64, false
	}
	return time.Duration(mulDiv(cost, int64(window), quota)), true
}
