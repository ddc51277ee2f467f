package ratelimittest

import (
	"sync"
	"time"

	"github.com/headway-go/headway/internal/meter"
)

// maxStamps bounds the log of one client. For a quota above it, times are rounded so that a window has at
// most that many different ones.
const maxStamps = 1 << 16

// SlidingLog is the moving window, also known as sliding window log. It logs the time of each allowed unit,
// and refuses a request if the Window that ends now would contain more than Quota units. A unit expires, and
// is available again, exactly one Window after it was taken.
//
// It is the moving window strategy of Python's limits, which Flask-Limiter and others use
// (https://limits.readthedocs.io/en/stable/strategies.html). It is also the sliding window log of
// https://www.figma.com/blog/an-alternative-approach-to-rate-limiting/.
//
// r is Quota less the units in the log. t is the time until the oldest unit expires, as limits reports it, or
// a Window if the log is empty. RetryAfter is the time until enough units have expired for the request. A
// cost above Quota is never allowed.
//
// A log is dropped after a Window without requests. It has one entry for each instant at which units were taken, hence
// at most Quota entries. If Quota is above 65,536, times are rounded down to multiples of 1/65,536 of the Window. Then
// a log has at most that many entries, and a unit expires early by at most one such step.
type SlidingLog struct {
	Policy

	// Strict logs refused requests, too, so a client that keeps sending is kept out until it slows down.
	// Servers do this that add to a sorted set in Redis before they count it
	// (https://www.npmjs.com/package/rolling-rate-limiter). Only the latest Quota units are logged,
	// because older ones make no difference. So a cost above Quota counts as Quota.
	Strict bool

	// FullReset makes t the time until the log is empty and all of Quota is available. t is 0 if it already is.
	FullReset bool

	mu      sync.Mutex
	clients meter.Table[meter.Log] // guarded by mu
}

// Take implements Limiter.
func (l *SlidingLog) Take(now time.Time, client string, cost int64) Decision {
	return l.take(now, client, cost, false)
}

// Fresh returns a SlidingLog with the same settings that has decided nothing yet.
func (l *SlidingLog) Fresh() Limiter {
	return &SlidingLog{Policy: l.Policy, Strict: l.Strict, FullReset: l.FullReset}
}

func (l *SlidingLog) take(now time.Time, client string, cost int64, dry bool) Decision {
	quota, window := l.quota(now), l.window()
	cost = max(cost, 0)

	l.mu.Lock()
	defer l.mu.Unlock()
	l.clients.Forget(now.Add(-window))
	log := l.clients.Get(client, meter.Log{})
	log.Expire(now.Add(-window))
	allowed := cost <= max(quota-log.Units(), 0)
	if units := min(cost, quota); units > 0 && !dry && (allowed || l.Strict) {
		log.KeepLatest(quota - units)
		at := log.Add(logTime(now, quota, window), units)
		l.clients.Put(client, meter.Later(now, at), log)
	}

	reset := log.UntilFirstExpires(now, window)
	if l.FullReset {
		reset = log.UntilEmpty(now, window)
	}
	d := Decision{Allowed: allowed, Limits: []Limit{l.limit(client, quota, max(quota-log.Units(), 0), reset)}}
	if at, ever := log.ExpiredTo(now, quota-cost, window); !allowed && ever {
		d.RetryAfter = at.Sub(now)
	}
	return d
}

// logTime returns the time to log for units taken now, see maxStamps.
func logTime(now time.Time, quota int64, window time.Duration) time.Time {
	if quota <= maxStamps {
		return now
	}
	return now.Truncate(window/maxStamps + 1)
}
