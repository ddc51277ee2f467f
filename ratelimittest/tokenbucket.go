package ratelimittest

import (
	"sync"
	"time"
)

// TokenBucket is the token bucket. Each client has a bucket of up to Capacity tokens. A request takes one
// token for each unit of its cost, and is refused if the bucket has too few. Quota tokens per Window come
// back, continuously or in steps, until the bucket is full. A new client has a full bucket.
//
// RFC 2697 §3 and https://en.wikipedia.org/wiki/Token_bucket describe it. HTTP servers use it by way of
// Bucket4j (refillGreedy; refillIntervally is Step). Upstash refills in steps
// (https://upstash.com/docs/redis/sdks/ratelimit-ts/algorithms).
//
// r is the number of whole tokens, which is above Quota if Capacity is. t is the time until there is one more
// token. For a full bucket, t is calculated as if a token were taken now. RetryAfter is the time until there
// are enough tokens for the request. Refused requests are free. A cost above Capacity is never allowed.
//
// Fractions of tokens are kept exactly. So in the long run exactly Quota tokens come per Window, whatever the
// Step. With a QuotaAt, all tokens since the last allowed request are counted at the current quota. A bucket
// never has more tokens than its current capacity.
//
// The zero value refuses everything; set Quota and Window, or use NewTokenBucket. A TokenBucket is safe for
// concurrent use and must not be copied after first use. It keeps buckets of at most MaxClients clients.
// Without a QuotaAt it drops a bucket that is full again.
type TokenBucket struct {
	Policy

	// Capacity is the number of tokens in a full bucket, and so the largest burst. 0 or negative: Quota.
	Capacity int64

	// Step is the time between refills. Each refill adds Quota × Step/Window tokens, and fractions of
	// tokens carry over. A client's steps begin with the request that found the bucket full. 0 or
	// negative: tokens come continuously, one every Window/Quota.
	Step time.Duration

	// FullReset makes t the time until the bucket is full, as Bucket4j reports it
	// (getNanosToWaitForReset). t is 0 if the bucket is full.
	FullReset bool

	mu      sync.Mutex
	clients table[bucket] // guarded by mu
}

// NewTokenBucket returns a TokenBucket that allows each client a burst of quota tokens, which come back
// continuously at quota per window.
func NewTokenBucket(quota int64, window time.Duration) *TokenBucket {
	return &TokenBucket{Policy: Policy{Quota: quota, Window: window}}
}

// Take implements Limiter.
func (b *TokenBucket) Take(now time.Time, client string, cost int64) Decision {
	cost = max(cost, 0)
	r := b.refill(now)

	b.mu.Lock()
	defer b.mu.Unlock()
	if fills, ever := r.wait(bucket{}, r.capacity); ever && b.QuotaAt == nil { // with a QuotaAt, a bucket that is full now may not be full later
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
