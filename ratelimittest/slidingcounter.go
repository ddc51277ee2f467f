package ratelimittest

import (
	"math"
	"sync"
	"time"
)

// SlidingCounter is the sliding window counter. It estimates the moving window from two numbers: the units
// taken in the current bucket of time, and in the previous bucket. A bucket is a Window T long, and begins at
// a whole multiple of T on the clock (since the zero time.Time, in UTC). When elapsed has passed of the
// current bucket, the estimate is
//
//	current + previous × (T − elapsed) / T
//
// with the second term rounded down. A request is refused if it would lift the estimate above Quota. With
// q=100, w=60, 80 units in the previous bucket and 15 s into the current one, 60 of the 80 count. So the
// current bucket has room for 40.
//
// Refused requests are free, unless Strict is set. A cost above Quota is never allowed.
//
// It is described in https://blog.cloudflare.com/counting-things-a-lot-of-different-things/ and
// https://konghq.com/blog/engineering/how-to-design-a-scalable-rate-limiting-algorithm. It is also a strategy
// of Python's limits (https://limits.readthedocs.io/en/stable/strategies.html).
//
// r is Quota less the estimate. t is the time to the end of the current bucket, as go-chi/httprate and
// Upstash report it. More quota may come back long before t, and not all of Quota is back at t. RetryAfter is
// exact: the time until the estimate has room for the request.
//
// The zero value refuses everything; set Quota and Window, or use NewSlidingCounter. A SlidingCounter is safe
// for concurrent use and must not be copied after first use. It keeps two numbers for each of at most
// MaxClients clients, and drops them after two Windows without requests.
type SlidingCounter struct {
	Policy

	// Strict counts refused requests, too, whatever their cost and without bound. So a client that keeps
	// sending more than Quota per Window is never allowed again. An example is http_req_rate of HAProxy's
	// stick tables, where a request is counted (track-sc0) before it is denied (sc_http_req_rate(0) gt
	// 40). With 40 per 2 s and 400 requests at the start of a bucket, the next request is allowed after
	// 3.8 s.
	Strict bool

	mu      sync.Mutex
	clients table[twoBuckets] // guarded by mu
}

// NewSlidingCounter returns a SlidingCounter that allows each client about quota units in any window.
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

// twoBuckets contains the units of one client in the current bucket, which begins at start, and in the
// previous one.
type twoBuckets struct {
	start             time.Time
	current, previous int64
}

// at returns the two buckets for the time now.
func (b twoBuckets) at(now time.Time, window time.Duration) twoBuckets {
	start := now.Truncate(window)
	switch {
	case !start.After(b.start): // the same bucket, or a clock set back
		return b
	case start.Equal(b.start.Add(window)):
		return b.following(window)
	}
	return twoBuckets{start: start}
}

// following returns the two buckets one window later.
func (b twoBuckets) following(window time.Duration) twoBuckets {
	return twoBuckets{start: b.start.Add(window), previous: b.current}
}

func (b twoBuckets) remaining(now time.Time, quota int64, window time.Duration) int64 {
	left := min(b.start.Add(window).Sub(now), window)
	return max(max(quota-b.current, 0)-mulDiv(b.previous, int64(left), int64(window)), 0)
}

// until returns the first instant, in these or later buckets, at which the estimate is at most size. size is
// not negative.
func (b twoBuckets) until(size int64, window time.Duration) time.Time {
	for ; ; b = b.following(window) {
		if elapsed := b.elapsed(size-b.current, window); elapsed < window {
			return b.start.Add(elapsed)
		}
	}
}

// elapsed returns how far into the current bucket the previous one first counts for at most units. It returns
// window if that is never in this bucket. The condition is previous × (T − elapsed) / T ≤ units, with the
// left side rounded down. That is the same as previous × (T − elapsed) ≤ (units + 1) × T − 1.
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
