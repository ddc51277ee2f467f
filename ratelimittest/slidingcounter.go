package ratelimittest

import (
	"math"
	"sync"
	"time"

	"github.com/headway-go/headway/internal/meter"
)

// SlidingCounter is the sliding window counter. It estimates the moving window from two numbers: the units taken in the
// current bucket of time, and in the previous bucket. A bucket is a Window T long, and begins at a whole multiple of T
// on the clock (since the zero time.Time, in UTC). When elapsed has passed of the current bucket, the estimate is
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
type SlidingCounter struct {
	Policy

	// Strict counts refused requests, too, whatever their cost and without bound. So a client that keeps sending
	// more than Quota per Window is never allowed again. An example is http_req_rate of HAProxy's stick tables,
	// where a request is counted (track-sc0) before it is denied (sc_http_req_rate(0) gt 40). With 40 per 2 s and
	// 400 requests at the start of a bucket, the next request is allowed after 3.8 s.
	Strict bool

	mu      sync.Mutex
	clients meter.Table[meter.TwoBuckets] // guarded by mu
}

// Take implements Limiter.
func (c *SlidingCounter) Take(now time.Time, client string, cost int64) Decision {
	return c.take(now, client, cost, false)
}

// Fresh returns a SlidingCounter with the same settings that has decided nothing yet.
func (c *SlidingCounter) Fresh() Limiter {
	return &SlidingCounter{Policy: c.Policy, Strict: c.Strict}
}

func (c *SlidingCounter) take(now time.Time, client string, cost int64, dry bool) Decision {
	quota, window := c.quota(now), c.window()
	cost = max(cost, 0)

	c.mu.Lock()
	defer c.mu.Unlock()
	c.clients.Forget(now.Add(-window).Add(-window))
	b := c.clients.Get(client, meter.TwoBuckets{Start: now.Truncate(window)}).At(now, window)
	allowed := cost <= b.Remaining(now, quota, window)
	if cost > 0 && !dry && (allowed || c.Strict) {
		b.Current += min(cost, math.MaxInt64-b.Current)
		c.clients.Put(client, meter.Later(now, b.Start), b)
	}

	reset := b.Start.Add(window).Sub(now)
	d := Decision{Allowed: allowed, Limits: []Limit{c.limit(client, quota, b.Remaining(now, quota, window), reset)}}
	if !allowed && cost <= quota {
		d.RetryAfter = b.Until(quota-cost, window).Sub(now)
	}
	return d
}
