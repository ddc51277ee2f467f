package ratelimittest

import (
	"sync"
	"time"
)

// TokenBucket keeps a bucket of tokens for each client. A request takes one token
// for each unit that it costs and is refused if there are too few. Tokens come
// back at Quota per Window, all the time or in steps, until the bucket is full. A
// client that is new, or was away for long enough, has a full bucket.
//
// RFC 2697 §3 and https://en.wikipedia.org/wiki/Token_bucket describe it; HTTP
// servers have it from Bucket4j (refillGreedy; with Step, refillIntervally) and,
// in steps, from Upstash (https://upstash.com/docs/redis/sdks/ratelimit-ts/algorithms).
//
// r is the number of whole tokens, which is above Quota if Capacity is, and t the
// time until there is one more; of a full bucket, as if one were taken now.
// RetryAfter is the time until there are enough for the request. Refused requests
// are free. A cost above Capacity is never allowed.
//
// Parts of tokens are kept exactly, so that in the long run Quota tokens come in a
// Window, neither one more nor less, whatever the Step. With a QuotaAt, what has
// come since the last allowed request is counted at the quota of now, and a
// bucket never holds more than its capacity of now.
//
// The zero value refuses everything; set Quota and Window, or use NewTokenBucket.
// A TokenBucket is safe for concurrent use, must not be copied after first use,
// and keeps at most MaxClients buckets, without a QuotaAt none of them once it is full
// again.
type TokenBucket struct {
	Policy

	// Capacity is the number of tokens in a full bucket, so the largest burst. 0 or
	// negative: Quota.
	Capacity int64

	// Step is the time from one refill to the next: Quota × Step/Window tokens at
	// once, with the parts of tokens carried over. The steps of a client are counted
	// from the request that found its bucket full. 0 or negative: tokens come all the
	// time, one every Window/Quota.
	Step time.Duration

	// FullReset makes t the time until the bucket is full, 0 if it is, as Bucket4j
	// tells it (getNanosToWaitForReset).
	FullReset bool

	mu      sync.Mutex
	clients table[bucket] // guarded by mu
}

// NewTokenBucket returns a TokenBucket with a capacity of quota tokens for each
// client, which come back all the time at quota per window.
func NewTokenBucket(quota int64, window time.Duration) *TokenBucket {
	return &TokenBucket{Policy: Policy{Quota: quota, Window: window}}
}

// Take implements Limiter.
func (b *TokenBucket) Take(now time.Time, client string, cost int64) Decision {
	cost = max(cost, 0)
	r := b.refill(now)

	b.mu.Lock()
	defer b.mu.Unlock()
	if fills, ever := r.wait(bucket{}, r.capacity); ever && b.QuotaAt == nil { // one that is full now need not be later, at another quota
		b.clients.forget(now.Add(-fills))
	}
	s := r.apply(b.clients.get(client, r.full(now)), now)
	allowed := cost <= s.tokens
	if allowed && cost > 0 {
		s.tokens -= cost
		b.clients.put(client, s.at, s)
	}

	d := Decision{Allowed: allowed, Limits: []Limit{b.limit(client, r.quota, s.tokens, b.reset(r, s, now))}}
	if wait, ever := r.wait(s, cost-s.tokens); !allowed && ever && cost <= r.capacity {
		d.RetryAfter = s.at.Add(wait).Sub(now)
	}
	return d
}

func (b *TokenBucket) next(now time.Time, client string, cost int64) (time.Time, bool) {
	r := b.refill(now)

	b.mu.Lock()
	defer b.mu.Unlock()
	s := r.apply(b.clients.get(client, r.full(now)), now)
	if cost <= s.tokens {
		return now, true
	}
	wait, ever := r.wait(s, cost-s.tokens)
	if !ever || cost > r.capacity {
		return now, false
	}
	return s.at.Add(wait), true
}

func (b *TokenBucket) refill(now time.Time) refill {
	r := refill{quota: b.quota(now), capacity: b.Capacity, window: b.window(), step: max(b.Step, 1)}
	if r.capacity <= 0 || r.quota == 0 {
		r.capacity = r.quota
	}
	return r
}

func (b *TokenBucket) reset(r refill, s bucket, now time.Time) time.Duration {
	units := int64(1)
	if b.FullReset {
		units = r.capacity - s.tokens
	}
	wait, ever := r.wait(s, units)
	switch {
	case !ever:
		return -1
	case units == 0:
		return 0
	}
	return s.at.Add(wait).Sub(now)
}
