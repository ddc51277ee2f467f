package ratelimittest

import (
	"math"
	"sync"
	"time"
)

// Linear is the linear rate limit, also known as the generic cell rate
// algorithm (ITU-T I.371 Annex A, the virtual scheduling form): quota comes back
// continuously, one unit every Window/Quota, up to Quota.
//
// It keeps one timestamp per client, a point in time that trails now by the
// time d that the client has not used. For each request the timestamp is
//
//   - clamped to [now − Window, now],
//   - moved on by Window/Quota × cost, and
//   - stored if that is not after now: the request is allowed.
//
// Afterwards r = d × Quota/Window, rounded down, and t = d. On a refusal the
// timestamp stays, so that refused requests are free, and RetryAfter is the time
// until it may be moved. A cost above Quota is never allowed.
//
// The zero value refuses everything; set Quota and Window, or use NewLinear. A
// Linear is safe for concurrent use, must not be copied after first use, and
// keeps at most MaxClients timestamps, none of them for longer than a Window
// without requests. Times are whole nanoseconds, so that a unit costs up to one
// nanosecond less than Window/Quota.
type Linear struct {
	Policy

	mu      sync.Mutex
	clients table[time.Time] // guarded by mu
}

// NewLinear returns a Linear that allows each client quota units per window.
func NewLinear(quota int64, window time.Duration) *Linear {
	return &Linear{Policy: Policy{Quota: quota, Window: window}}
}

// Take implements Limiter.
func (l *Linear) Take(now time.Time, client string, cost int64) Decision {
	quota, window := l.quota(now), l.window()
	price := linearPrice(quota, window, cost)

	l.mu.Lock()
	defer l.mu.Unlock()
	l.clients.forget(now.Add(-window))
	unused := min(max(now.Sub(l.clients.get(client)), 0), window)
	allowed := price <= unused
	if allowed && price > 0 {
		unused -= price
		l.clients.put(client, now, now.Add(-unused))
	}

	remaining := mulDiv(int64(unused), quota, int64(window))
	d := Decision{Allowed: allowed, Limits: []Limit{l.limit(client, quota, remaining, unused)}}
	if !allowed && price <= window {
		d.RetryAfter = price - unused
	}
	return d
}

func (l *Linear) next(now time.Time, client string, cost int64) (time.Time, bool) {
	window := l.window()
	price := linearPrice(l.quota(now), window, cost)

	l.mu.Lock()
	defer l.mu.Unlock()
	unused := min(max(now.Sub(l.clients.get(client)), 0), window)
	return now.Add(max(price-unused, 0)), price <= window
}

// linearPrice returns how far a request moves the timestamp.
func linearPrice(quota int64, window time.Duration, cost int64) time.Duration {
	switch {
	case cost <= 0:
		return 0
	case cost > quota:
		return math.MaxInt64
	}
	return time.Duration(mulDiv(cost, int64(window), quota))
}
