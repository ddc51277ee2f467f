package ratelimittest

import (
	"sync"
	"time"

	"github.com/headway-go/headway/internal/meter"
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
// Without a QuotaAt, a bucket that is full again is dropped.
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
	clients meter.Table[meter.Bucket] // guarded by mu
}

// Take implements Limiter.
func (b *TokenBucket) Take(now time.Time, client string, cost int64) Decision {
	return b.take(now, client, cost, false)
}

// Fresh returns a TokenBucket with the same settings that has decided nothing yet.
func (b *TokenBucket) Fresh() Limiter {
	return &TokenBucket{Policy: b.Policy, Capacity: b.Capacity, Step: b.Step, FullReset: b.FullReset}
}

func (b *TokenBucket) take(now time.Time, client string, cost int64, dry bool) Decision {
	cost = max(cost, 0)
	r := b.refill(now)

	b.mu.Lock()
	defer b.mu.Unlock()
	if fills, ever := r.Wait(meter.Bucket{}, r.Capacity); ever && b.QuotaAt == nil { // with a QuotaAt, a bucket that is full now may not be full later
		b.clients.Forget(now.Add(-fills))
	}
	s := r.Apply(b.clients.Get(client, r.Full(now)), now)
	allowed := cost <= s.Tokens
	if allowed && cost > 0 && !dry {
		s.Tokens -= cost
		b.clients.Put(client, s.At, s)
	}

	d := Decision{Allowed: allowed, Limits: []Limit{b.limit(client, r.Quota, s.Tokens, b.reset(r, s, now))}}
	if wait, ever := r.Wait(s, cost-s.Tokens); !allowed && ever && cost <= r.Capacity {
		d.RetryAfter = s.At.Add(wait).Sub(now)
	}
	return d
}

func (b *TokenBucket) refill(now time.Time) meter.Refill {
	r := meter.Refill{Quota: b.quota(now), Capacity: b.Capacity, Window: b.window(), Step: max(b.Step, 1)}
	if r.Capacity <= 0 || r.Quota == 0 {
		r.Capacity = r.Quota
	}
	return r
}

func (b *TokenBucket) reset(r meter.Refill, s meter.Bucket, now time.Time) time.Duration {
	units := int64(1)
	if b.FullReset {
		units = r.Capacity - s.Tokens
	}
	wait, ever := r.Wait(s, units)
	switch {
	case !ever:
		return -1
	case units == 0:
		return 0
	}
	return s.At.Add(wait).Sub(now)
}
