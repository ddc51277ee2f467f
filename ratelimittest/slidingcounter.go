package ratelimittest

import (
	"math"
	"sync"
	"time"
)

// SlidingCounter is the sliding window counter, an estimate of the moving window
// from two numbers: the units taken in the current bucket of time and in the one
// before. Buckets are a Window T long and begin at whole multiples of it on the
// clock (since the zero time.Time, in UTC). At a time elapsed into the current
// bucket the client is taken to have used
//
//	current + previous × (T − elapsed) / T
//
// units, with the second term rounded down, and is refused what would make that
// more than Quota. Refused requests are free unless Strict is set. A cost above Quota
// is never allowed.
//
// It is described in
// https://blog.cloudflare.com/counting-things-a-lot-of-different-things/ and
// https://konghq.com/blog/engineering/how-to-design-a-scalable-rate-limiting-algorithm
// and is a strategy of Python's limits
// (https://limits.readthedocs.io/en/stable/strategies.html).
//
// r is Quota less that estimate, and t the time to the end of the current bucket,
// as go-chi/httprate and Upstash tell it: more may be available long before, and
// not all of Quota is then. RetryAfter is the time until the estimate leaves room
// for the request, to the nanosecond.
//
// The zero value refuses everything; set Quota and Window, or use
// NewSlidingCounter. A SlidingCounter is safe for concurrent use, must not be
// copied after first use, and keeps two numbers for each of at most MaxClients
// clients, none of them for longer than two Windows without requests.
type SlidingCounter struct {
	Policy

	// Strict counts refused requests as well, whatever they cost and without bound. So a
	// client that goes on asking at more than Quota per Window is never let in again: the
	// http_req_rate of HAProxy's stick tables, where a request is counted (track-sc0)
	// before it is denied (sc_http_req_rate(0) gt 40). With 40 per 2 s and 400 requests as
	// a bucket begins the next one is allowed after 3.8 s.
	Strict bool

	mu      sync.Mutex
	clients table[twoBuckets] // guarded by mu
}

// NewSlidingCounter returns a SlidingCounter that allows each client about quota
// units in any window.
func NewSlidingCounter(quota int64, window time.Duration) *SlidingCounter {
	return &SlidingCounter{Policy: Policy{Quota: quota, Window: window}}
}

// Take implements Limiter.
func (c *SlidingCounter) Take(now time.Time, client string, cost int64) Decision {
	quota, window := c.quota(now), c.window()
	cost = max(cost, 0)

	c.mu.Lock()
	defer c.mu.Unlock()
	c.clients.forget(now.Add(-window).Add(-window))
	b := c.clients.get(client, twoBuckets{start: now.Truncate(window)}).at(now, window)
	allowed := cost <= b.remaining(now, quota, window)
	if cost > 0 && (allowed || c.Strict) {
		b.current += min(cost, math.MaxInt64-b.current)
		c.clients.put(client, later(now, b.start), b)
	}

	reset := b.start.Add(window).Sub(now)
	d := Decision{Allowed: allowed, Limits: []Limit{c.limit(client, quota, b.remaining(now, quota, window), reset)}}
	if !allowed && cost <= quota {
		d.RetryAfter = b.until(quota-cost, window).Sub(now)
	}
	return d
}

func (c *SlidingCounter) next(now time.Time, client string, cost int64) (time.Time, bool) {
	quota, window := c.quota(now), c.window()

	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.clients.get(client, twoBuckets{start: now.Truncate(window)}).at(now, window)
	switch {
	case cost <= b.remaining(now, quota, window):
		return now, true
	case cost > quota:
		return now, false
	}
	return b.until(quota-cost, window), true
}

// twoBuckets is the units that one client has taken in the current bucket, which
// begins at start, and in the one before.
type twoBuckets struct {
	start             time.Time
	current, previous int64
}

// at returns the buckets as they are at the time now.
func (b twoBuckets) at(now time.Time, window time.Duration) twoBuckets {
	start := now.Truncate(window)
	switch {
	case !start.After(b.start): // time may go backwards
		return b
	case start.Equal(b.start.Add(window)):
		return b.following(window)
	}
	return twoBuckets{start: start}
}

// following returns the buckets one window later.
func (b twoBuckets) following(window time.Duration) twoBuckets {
	return twoBuckets{start: b.start.Add(window), previous: b.current}
}

func (b twoBuckets) remaining(now time.Time, quota int64, window time.Duration) int64 {
	left := min(b.start.Add(window).Sub(now), window)
	return max(max(quota-b.current, 0)-mulDiv(b.previous, int64(left), int64(window)), 0)
}

// until returns the first instant of these buckets or those that follow at which
// the estimate is not above size, which is not negative.
func (b twoBuckets) until(size int64, window time.Duration) time.Time {
	for ; ; b = b.following(window) {
		if elapsed := b.elapsed(size-b.current, window); elapsed < window {
			return b.start.Add(elapsed)
		}
	}
}

// elapsed returns how far into the current bucket no more than units of the
// previous one count: previous × (T − elapsed) / T, rounded down, is at most
// units if previous × (T − elapsed) is at most (units + 1) × T − 1.
func (b twoBuckets) elapsed(units int64, window time.Duration) time.Duration {
	switch {
	case units < 0:
		return window
	case units >= b.previous:
		return 0
	}
	left, _, _ := mulAddDiv(units, int64(window), uint64(window-1), b.previous)
	return window - time.Duration(left)
}
