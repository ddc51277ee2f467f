package ratelimittest

import (
	"sync"
	"time"

	"github.com/headway-go/headway/internal/meter"
)

// Exponential limits a client's average rate, in which past requests fade exponentially. Quota is the maximum
// of the average, in units per Window, and also the largest burst. It is the measure of Exim's ratelimit
// condition (specification, "Rate limiting incoming messages"). https://dotat.at/@/2024-09-02-ewma.html
// describes it for rate limits in general.
//
// It keeps the average and the time of its last update for each client. A request that comes Δ Windows later,
// with Δ at least 1e-10, makes the average
//
//	cost/Δ × (1 − alpha) + average × alpha, where alpha = exp(−Δ)
//
// or the cost, if that is more. The request is allowed if the new average is not above Quota. The effects are:
//
//   - Requests in quick succession count in full, and a rare request counts as its cost.
//   - After a Window without requests, 63 % of the average is forgotten.
//   - One unit every Window/Quota keeps a client at Quota.
//
// A refused request has one of two effects:
//
//   - leaky, the default: none. The average is that of the allowed requests.
//   - strict: it counts, too, without bound. The average is that of all attempts, so a client must slow down
//     before it is allowed again.
//
// After the decision, with the average as of now, r = Quota − average, rounded down, and t = (Quota −
// average) × Window/Quota. Both are 0 if the average is above Quota. RetryAfter is the time until the same
// request would be allowed. It is longer than Window × ln(average/Quota), after which the average alone is at
// Quota, because the request itself adds to the average. A cost above Quota is never allowed.
//
// An average is dropped after Window × (2 + ln average) without requests, when it is far below one unit. An Exponential
// calculates in floating point, with costs and quotas exact up to 2⁵³. RetryAfter is exact to the nanosecond
// nevertheless.
type Exponential struct {
	Policy

	// Strict counts refused requests, too.
	Strict bool

	mu      sync.Mutex
	clients meter.Table[meter.Average] // guarded by mu
}

// Take implements Limiter.
func (e *Exponential) Take(now time.Time, client string, cost int64) Decision {
	return e.take(now, client, cost, false)
}

// Fresh returns an Exponential with the same settings that has decided nothing yet.
func (e *Exponential) Fresh() Limiter {
	return &Exponential{Policy: e.Policy, Strict: e.Strict}
}

func (e *Exponential) take(now time.Time, client string, cost int64, dry bool) Decision {
	quota, window := e.quota(now), e.window()

	e.mu.Lock()
	defer e.mu.Unlock()
	e.clients.Forget(now)
	a := e.clients.Get(client, meter.Average{At: now})
	allowed := a.Admits(now, cost, quota, window)
	if cost > 0 && !dry && (allowed || e.Strict) {
		a = a.With(now, cost, window)
		// The table forgets the average at that time, when it no longer matters.
		e.clients.Put(client, a.NegligibleAt(window), a)
	}

	remaining, reset := a.Left(now, quota, window)
	d := Decision{Allowed: allowed, Limits: []Limit{e.limit(client, quota, remaining, reset)}}
	if !allowed {
		if at, ever := a.Next(now, cost, quota, window); ever {
			d.RetryAfter = at.Sub(now)
		}
	}
	return d
}
