package ratelimittest

import (
	"sync"
	"time"
)

// Concurrency is a limit on requests in flight: each client has Quota places, a
// request has one from Take until Release, and is refused while none is free. It
// is the quota unit "concurrent-requests" of
// draft-ietf-httpapi-ratelimit-headers-10 (§3.1.2).
//
// q is the number of places and r that of the free ones. No window and no reset
// are told, nor a time to come back: when a place will be free depends on the
// requests that have one. A server that asks to wait for some time nevertheless
// sets RetryAfter. Refused requests are free. A cost of n takes n places, and one
// above Quota is never allowed: where Handler.Cost counts something else, such
// as bytes, a Handler of its own should limit the requests in flight. To
// Batch.Optimum and Granted, which release nothing, all places are taken after
// Quota requests.
//
// Servers refuse with 503 Service Unavailable or with 429 Too Many Requests; the
// former is Handler.Refuse = RefuseWith(503). A Handler calls Release when its
// handler has returned, which is before the client sees the end of a short
// response. So a client that sends one request at a time needs one place.
//
// The zero value refuses everything; set Quota, or use NewConcurrency. Window is
// not used, and an empty Unit is UnitConcurrentRequests. Where QuotaAt falls below the
// places that are taken, none is free until enough were released. A Concurrency is
// safe for concurrent use, must not be copied after first use, and keeps state for
// the clients with requests in flight, at most MaxClients of them.
type Concurrency struct {
	Policy

	// RetryAfter is the time that a refusal tells the client to wait, unless its
	// cost is above Quota. 0 or negative: none.
	RetryAfter time.Duration

	mu    sync.Mutex
	taken table[int64] // places; guarded by mu
}

// NewConcurrency returns a Concurrency that allows each client places requests
// in flight.
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

// Release implements Releaser. It frees cost places of client, as many as are
// taken at most; a cost of 0 or less frees none.
func (c *Concurrency) Release(now time.Time, client string, cost int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := c.taken.get(client, 0)
	if cost <= 0 || taken == 0 { // 0: forgotten, or never there
		return
	}
	if cost >= taken {
		c.taken.remove(c.taken.byClient[client])
		return
	}
	c.taken.put(client, now, taken-cost)
}

// next does not foresee a Release.
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
