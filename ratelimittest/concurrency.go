package ratelimittest

import (
	"sync"
	"time"

	"github.com/headway-go/headway/internal/meter"
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
// such as bytes, use a second Handler to limit the requests in flight. Batch.Optimum never
// releases a place, so it is not known after Quota requests.
//
// A server refuses with 503 Service Unavailable (Handler.Refuse = Respond(503, "")) or with 429. A Handler
// calls Release when its handler has returned. That is before the client sees the end of a short response, so
// a client that sends one request at a time needs one place.
//
// Window is not used, and an empty Unit means concurrent-requests. If QuotaAt falls below the number of taken places,
// no place is free until enough are released.
type Concurrency struct {
	Policy

	// RetryAfter is the RetryAfter of refusals, except of a cost above Quota. 0 or negative: none.
	RetryAfter time.Duration

	mu    sync.Mutex
	taken meter.Table[int64] // places taken by each client; guarded by mu
}

// Take implements Limiter.
func (c *Concurrency) Take(now time.Time, client string, cost int64) Decision {
	return c.take(now, client, cost, false)
}

// Fresh returns a Concurrency with the same settings that has decided nothing yet.
func (c *Concurrency) Fresh() Limiter {
	return &Concurrency{Policy: c.Policy, RetryAfter: c.RetryAfter}
}

func (c *Concurrency) take(now time.Time, client string, cost int64, dry bool) Decision {
	quota := c.quota(now)
	cost = max(cost, 0)

	c.mu.Lock()
	defer c.mu.Unlock()
	taken := c.taken.Get(client, 0)
	free := max(quota-taken, 0)
	allowed := cost <= free
	if allowed && cost > 0 && !dry {
		free -= cost
		c.taken.Put(client, now, taken+cost)
	}

	d := Decision{Allowed: allowed, Limits: []Limit{c.places(client, quota, free)}}
	if !allowed && cost <= quota {
		d.RetryAfter = c.RetryAfter
	}
	return d
}

// Release frees cost places of client, and at most those that are taken. A cost of 0
// or less frees none.
func (c *Concurrency) Release(now time.Time, client string, cost int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := c.taken.Get(client, 0)
	if cost <= 0 || taken == 0 { // the table has forgotten the client, or never knew it
		return
	}
	if cost >= taken {
		c.taken.Remove(client)
		return
	}
	c.taken.Put(client, now, taken-cost)
}

func (c *Concurrency) places(client string, quota, free int64) Limit {
	l := c.limit(client, quota, free, -1)
	l.Window = 0
	if l.Unit == "" {
		l.Unit = unitConcurrentRequests
	}
	return l
}
