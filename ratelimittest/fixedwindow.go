package ratelimittest

import (
	"sync"
	"time"

	"github.com/headway-go/headway/internal/meter"
)

// FixedWindow counts the units that each client takes in a window of time. It refuses requests beyond Quota
// until the window ends, and then all of Quota is available again. So two bursts of Quota units may pass
// shortly after each other, before and after the boundary. That is the known flaw of this algorithm.
//
// Without Aligned it is the fixed window strategy of Python's limits, where a request opens the window
// (https://limits.readthedocs.io/en/stable/strategies.html). With Aligned it is the fixed window of
// https://konghq.com/blog/engineering/how-to-design-a-scalable-rate-limiting-algorithm.
//
// r is the remaining Quota of the window. t is the time to the window's end, and so is RetryAfter. Refused
// requests are free, unless Elastic is set. A cost above Quota is never allowed.
type FixedWindow struct {
	Policy

	// Aligned makes windows begin at whole multiples of Window on the clock (since the zero time.Time, in UTC), at
	// the same time for all clients. If false, a client's first allowed request after a window opens the next one.
	Aligned bool

	// Elastic makes each request, even a refused one, move the end of the window to one Window after that
	// request. This is the "fixed window with elastic expiry" of Python's limits before version 5, and so
	// of Flask-Limiter. A client gets a new Quota only after a pause of a Window, however slowly it
	// sends. With 60 per minute and a request every 10 s, all requests from the 61st on are refused. A
	// cost of 0 or less extends nothing. Elastic has no effect if Aligned is set.
	Elastic bool

	mu      sync.Mutex
	clients meter.Table[openWindow] // guarded by mu
}

// An openWindow is the current window of one client.
type openWindow struct {
	end  time.Time
	used int64
}

// Take implements Limiter.
func (f *FixedWindow) Take(now time.Time, client string, cost int64) Decision {
	return f.take(now, client, cost, false)
}

// Fresh returns a FixedWindow with the same settings that has decided nothing yet.
func (f *FixedWindow) Fresh() Limiter {
	return &FixedWindow{Policy: f.Policy, Aligned: f.Aligned, Elastic: f.Elastic}
}

func (f *FixedWindow) take(now time.Time, client string, cost int64, dry bool) Decision {
	quota, window := f.quota(now), f.window()
	cost = max(cost, 0)

	f.mu.Lock()
	defer f.mu.Unlock()
	f.clients.Forget(now.Add(-window))
	w := f.at(now, client)
	remaining := max(quota-w.used, 0)
	allowed := cost <= remaining
	isProlonged := f.Elastic && !f.Aligned && !dry
	if isProlonged && cost > 0 {
		w.end = meter.Later(w.end, now.Add(window))
	}
	if allowed {
		w.used += cost
		remaining -= cost
	}
	if cost > 0 && !dry && (allowed || isProlonged) {
		f.clients.Put(client, meter.Later(now, w.end.Add(-window)), w) // if now was set back, the window must not be forgotten before its end
	}

	reset := w.end.Sub(now)
	d := Decision{Allowed: allowed, Limits: []Limit{f.limit(client, quota, remaining, reset)}}
	if !allowed && cost <= quota {
		d.RetryAfter = reset
	}
	return d
}

// at returns the client's window at the time now, or a new one if the last window has ended.
func (f *FixedWindow) at(now time.Time, client string) openWindow {
	opening := now
	if f.Aligned {
		opening = now.Truncate(f.window())
	}
	fresh := openWindow{end: opening.Add(f.window())}
	if w := f.clients.Get(client, fresh); now.Before(w.end) {
		return w
	}
	return fresh
}
