package ratelimittest

import (
	"sync"
	"time"
)

// maxStamps bounds the stamps of one client's log. A quota above it is logged at
// a coarser time, so that the window has no more instants than that.
const maxStamps = 1 << 16

// SlidingLog is the moving window, also known as the sliding window log: it logs
// the time of each unit that it allows and refuses what would make more than
// Quota units in the Window that ends now. A unit leaves, and may be had again,
// exactly one Window after it was taken.
//
// It is the moving window strategy of Python's limits, which Flask-Limiter and
// others build on (https://limits.readthedocs.io/en/stable/strategies.html), and
// the sliding window log of
// https://www.figma.com/blog/an-alternative-approach-to-rate-limiting/.
//
// r is Quota less the units in the log, and t the time until the oldest of them
// leaves, as limits tells it; a full Window if none is logged. RetryAfter is the
// time until enough have left for the request. A cost above Quota is never
// allowed.
//
// The zero value refuses everything; set Quota and Window, or use NewSlidingLog.
// A SlidingLog is safe for concurrent use, must not be copied after first use,
// and keeps the logs of at most MaxClients, none of them for longer than a Window
// without requests. A log has one entry for each instant at which units were
// taken, hence at most Quota. Where Quota is above 65,536, times are logged in
// steps of 1/65,536 of the Window, rounded down, so that no log is longer than
// that and a unit leaves early by at most one step.
type SlidingLog struct {
	Policy

	// Strict logs refused requests too, so that a client that keeps on asking is
	// kept out until it slows down: the way of servers that add to a sorted set in
	// Redis before they count it (https://www.npmjs.com/package/rolling-rate-limiter).
	// Of more units than Quota only the latest count, as the others make no
	// difference; a cost above Quota counts as Quota.
	Strict bool

	// FullReset makes t the time until the log is empty and all of Quota there
	// again, 0 if it is, for servers that tell that.
	FullReset bool

	mu      sync.Mutex
	clients table[unitLog] // guarded by mu
}

// NewSlidingLog returns a SlidingLog that allows each client quota units in any
// window.
func NewSlidingLog(quota int64, window time.Duration) *SlidingLog {
	return &SlidingLog{Policy: Policy{Quota: quota, Window: window}}
}

// Take implements Limiter.
func (l *SlidingLog) Take(now time.Time, client string, cost int64) Decision {
	quota, window := l.quota(now), l.window()
	cost = max(cost, 0)

	l.mu.Lock()
	defer l.mu.Unlock()
	l.clients.forget(now.Add(-window))
	log := l.clients.get(client, unitLog{})
	log.expire(now.Add(-window))
	allowed := cost <= max(quota-log.units, 0)
	if units := min(cost, quota); units > 0 && (allowed || l.Strict) {
		log.keep(quota - units)
		at := log.add(logTime(now, quota, window), units)
		l.clients.put(client, later(now, at), log)
	}

	reset := log.firstLeaves(now, window)
	if l.FullReset {
		reset = log.lastLeaves(now, window)
	}
	d := Decision{Allowed: allowed, Limits: []Limit{l.limit(client, quota, max(quota-log.units, 0), reset)}}
	if at, ever := log.shrunk(now, quota-cost, window); !allowed && ever {
		d.RetryAfter = at.Sub(now)
	}
	return d
}

func (l *SlidingLog) next(now time.Time, client string, cost int64) (time.Time, bool) {
	if cost <= 0 {
		return now, true
	}
	quota := l.quota(now)

	l.mu.Lock()
	defer l.mu.Unlock()
	log := l.clients.get(client, unitLog{})
	return log.shrunk(now, quota-cost, l.window())
}

// logTime is the time under which units taken now are logged.
func logTime(now time.Time, quota int64, window time.Duration) time.Time {
	if quota <= maxStamps {
		return now
	}
	return now.Truncate(window/maxStamps + 1)
}
