package ratelimittest

import (
	"sync"
	"time"
)

// FixedWindow counts the units that a client takes in a window of time and
// refuses what goes beyond Quota until the window is over. The next window
// starts with the whole Quota again, so that two bursts, one on each side of
// the boundary, pass within moments: the known flaw of this algorithm.
//
// It is the fixed window strategy of Python's limits, whose windows are opened by
// requests (https://limits.readthedocs.io/en/stable/strategies.html), and with
// Aligned the fixed window of
// https://konghq.com/blog/engineering/how-to-design-a-scalable-rate-limiting-algorithm.
//
// r is what is left of the window's Quota, and t the time to the window's end,
// which is RetryAfter too. Refused requests are free, unless Elastic is
// set. A cost above Quota is never allowed.
//
// The zero value refuses everything; set Quota and Window, or use
// NewFixedWindow. A FixedWindow is safe for concurrent use, must not be copied
// after first use, and keeps at most MaxClients windows, none of them for longer
// than a Window without requests.
type FixedWindow struct {
	Policy

	// Aligned makes windows begin at whole multiples of Window on the clock
	// (since the zero time.Time, in UTC), the same for all clients. If false, a
	// client's window begins with its first allowed request after the last one.
	Aligned bool

	// Elastic makes a window end a Window after the last request in it, a refused one
	// too: the fixed window with elastic expiry of Python's limits before version 5, and so
	// of Flask-Limiter. A client has Quota until it pauses for a Window, however slowly it
	// asks: with 60 per minute and a request every 10 s the 61st is refused, and so are
	// those that follow. A cost of 0 or less prolongs nothing. Where Aligned is set,
	// Elastic has no effect.
	Elastic bool

	mu      sync.Mutex
	clients table[openWindow] // guarded by mu
}

// An openWindow is one client's window.
type openWindow struct {
	end  time.Time
	used int64
}

// NewFixedWindow returns a FixedWindow that allows each client quota units per
// window, opened by the client's first request.
func NewFixedWindow(quota int64, window time.Duration) *FixedWindow {
	return &FixedWindow{Policy: Policy{Quota: quota, Window: window}}
}

// Take implements Limiter.
func (f *FixedWindow) Take(now time.Time, client string, cost int64) Decision {
	quota, window := f.quota(now), f.window()
	cost = max(cost, 0)

	f.mu.Lock()
	defer f.mu.Unlock()
	f.clients.forget(now.Add(-window))
	w := f.at(now, client)
	remaining := max(quota-w.used, 0)
	allowed := cost <= remaining
	isProlonged := f.Elastic && !f.Aligned
	if isProlonged && cost > 0 {
		w.end = later(w.end, now.Add(window))
	}
	if allowed {
		w.used += cost
		remaining -= cost
	}
	if cost > 0 && (allowed || isProlonged) {
		f.clients.put(client, later(now, w.end.Add(-window)), w) // not forgotten before its end if now was set back
	}

	reset := w.end.Sub(now)
	d := Decision{Allowed: allowed, Limits: []Limit{f.limit(client, quota, remaining, reset)}}
	if !allowed && cost <= quota {
		d.RetryAfter = reset
	}
	return d
}

func (f *FixedWindow) next(now time.Time, client string, cost int64) (time.Time, bool) {
	quota := f.quota(now)

	f.mu.Lock()
	defer f.mu.Unlock()
	w := f.at(now, client)
	switch {
	case max(cost, 0) <= max(quota-w.used, 0):
		return now, true
	case cost > quota:
		return now, false
	}
	return w.end, true
}

// at returns the client's window at the time now, which opens then if none is.
func (f *FixedWindow) at(now time.Time, client string) openWindow {
	opening := now
	if f.Aligned {
		opening = now.Truncate(f.window())
	}
	fresh := openWindow{end: opening.Add(f.window())}
	if w := f.clients.get(client, fresh); now.Before(w.end) {
		return w
	}
	return fresh
}
