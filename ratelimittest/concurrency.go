package ratelimittest

import (
	"sync"
	"time"
)

// Concurrency limits the requests in flight, like a semaphore with Quota places per client. A request holds a
// place from Take until Release, and is refused while none is free. It is the quota unit
// "concurrent-requests" of draft-ietf-httpapi-ratelimit-headers-10 (§3.1.2).
//
// q is the number of places, and r the number of free ones. There is no window, no reset and no RetryAfter,
// because the requests in flight decide when a place becomes free. Set RetryAfter for a server that asks to
// wait nevertheless. Refused requests are free.
//
// A cost of n takes n places. A cost above Quota is never allowed. If Handler.Cost counts something else,
// such as bytes, use a second Handler to limit the requests in flight. Batch.Optimum and Granted never
// release a place, so for them all places are taken after Quota requests.
//
// A server refuses with 503 Service Unavailable (Handler.Refuse = RefuseWith(503)) or with 429. A Handler
// calls Release when its handler has returned. That is before the client sees the end of a short response, so
// a client that sends one request at a time needs one place.
//
// The zero value refuses everything; set Quota, or use NewConcurrency. Window is not used, and an empty Unit
// means UnitConcurrentRequests. If QuotaAt falls below the number of taken places, no place is free until
// enough are released. A Concurrency is safe for concurrent use and must not be copied after first use. It
// keeps state for clients with requests in flight, and for at most MaxClients of them.
type Concurrency struct {
	Policy

	// RetryAfter is the RetryAfter of refusals, except of a cost above Quota. 0 or negative: none.
	RetryAfter time.Duration

	mu    sync.Mutex
	taken table[int64] // places taken by each client; guarded by mu
}

// NewConcurrency returns a Concurrency that allows each client that many requests in flight.
func NewConcurrency(places int64) *Concurrency {
	return &Concurrency{Policy: Policy{Quota: places}}
}

// Take implements Limiter.
func (c *Concurrency) Take(now time.Time, client string, cost int64) Decision {
	quota := c.quota(now)
	cost = max(cost, 0)

	c.mu.Lock()
	defer c.mu.Unlock()
	taken := c.taken.get(client, 0)
	free := max(quota-taken, 0)
	allowed := cost <= free
	if allowed && cost > 0 {
		free -= cost
		c.taken.put(client, now, taken+cost)
	}

	d := Decision{Allowed: allowed, Limits: []Limit{c.places(client, quota, free)}}
	if !allowed && cost <= quota {
		d.RetryAfter = c.RetryAfter
	}
	return d
}

// Release implements Releaser. It frees cost places of client, and at most those that are taken. A cost of 0
// or less frees none.
func (c *Concurrency) Release(now time.Time, client string, cost int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := c.taken.get(client, 0)
	if cost <= 0 || taken == 0 { // the table has forgotten the client, or never knew it
		return
	}
	if cost >= taken {
		c.taken.remove(c.taken.byClient[client])
		return
	}
	c.taken.put(client, now, taken-cost)
}

// next ignores future Releases.
func (c *Concurrency) next(now time.Time, client string, cost int64) (time.Time, bool) {
	quota := c.quota(now)

	c.mu.Lock()
	defer c.mu.Unlock()
	return now, max(cost, 0) <= max(quota-c.taken.get(client, 0), 0)
}

func (c *Concurrency) places(client string, quota, free int64) Limit {
	l := c.limit(client, quota, free, -1)
	l.Window = 0
	if l.Unit == "" {
		l.Unit = UnitConcurrentRequests
	}
	return l
}
