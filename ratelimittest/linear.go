package ratelimittest

import (
	"math"
	"sync"
	"time"

	"github.com/headway-go/headway/internal/meter"
)

// Linear is the generic cell rate algorithm (GCRA; ITU-T I.371 Annex A, virtual scheduling), also known as
// linear rate limit. Quota comes back continuously, one unit every emission interval of Window/Quota, up to
// Quota. The burst tolerance is Window − Window/Quota, so an idle client may use all of Quota at once.
// https://dotat.at/@/2026-01-13-http-ratelimit.html describes the algorithm together with the header fields.
//
// Linear keeps one timestamp per client, and d = now − timestamp is the client's unused time. Each request
// moves the timestamp:
//
//   - It is clamped to [now − Window, now + Penalty].
//   - The price of the request, Window/Quota × cost, is added.
//   - If the result is not after now, the request is allowed and the result stored.
//
// With q=100, w=60 a unit costs 0.6 s. A client that has been away for a minute may send 100 requests at
// once, and then one request every 0.6 s.
//
// A refused request has one of three effects:
//
//   - lenient, the default: the timestamp stays. Refused requests are free.
//   - strict: the timestamp moves to now at most. The client loses its remaining quota, and must pause for
//     the price of a request.
//   - penalty: the timestamp moves to now + Penalty at most. Each further attempt keeps the client out for
//     longer, up to Penalty plus the price.
//
// After the decision, r = d × Quota/Window, rounded down, and t = d. If the timestamp is in the future, then r = 0, and
// t is the time until the timestamp, when quota begins to come back. RetryAfter is the price − d. A cost above Quota is
// never allowed; in the strict and penalty forms it moves the timestamp as far as the clamp permits.
//
// A timestamp is dropped after Window plus Penalty without requests. Times are whole nanoseconds, so the price of a unit
// is up to one nanosecond below Window/Quota.
type Linear struct {
	Policy

	// Strict charges refused requests, too. The name comes from the ratelimit condition of Exim
	// (specification, "Rate limiting incoming messages").
	Strict bool
	// Penalty is how far into the future refused requests move the timestamp. A positive Penalty charges
	// refused requests even if Strict is not set. 0 or negative: no penalty.
	Penalty time.Duration

	mu      sync.Mutex
	clients meter.Table[time.Time] // the timestamp of each client; guarded by mu
}

// Take implements Limiter.
func (l *Linear) Take(now time.Time, client string, cost int64) Decision {
	return l.take(now, client, cost, false)
}

// Fresh returns a Linear with the same settings that has decided nothing yet.
func (l *Linear) Fresh() Limiter {
	return &Linear{Policy: l.Policy, Strict: l.Strict, Penalty: l.Penalty}
}

func (l *Linear) take(now time.Time, client string, cost int64, dry bool) Decision {
	quota, window, penalty := l.quota(now), l.window(), l.penalty()
	price, ever := linearPrice(quota, window, cost)

	l.mu.Lock()
	defer l.mu.Unlock()
	l.clients.Forget(now.Add(-window - penalty))
	stamp := l.clients.Get(client, now.Add(-window))
	unused := l.unused(now, stamp)
	allowed := ever && price <= unused || cost <= 0
	if price > 0 && !dry && (allowed || l.Strict || penalty > 0) {
		left := unused - min(price, unused+penalty) // the timestamp moves to now + penalty at most
		if left < unused {                          // a clock set back must not refund what was charged
			unused, stamp = left, now.Add(-left)
			l.clients.Put(client, now, stamp)
		}
	}

	remaining := meter.MulDiv(int64(max(unused, 0)), quota, int64(window))
	d := Decision{Allowed: allowed, Limits: []Limit{l.limit(client, quota, remaining, unused.Abs())}}
	if !allowed && ever {
		d.RetryAfter = stamp.Add(price).Sub(now)
	}
	return d
}

// unused returns the client's unused time: now − stamp, at most a window. It is negative if stamp is in the future.
func (l *Linear) unused(now, stamp time.Time) time.Duration {
	return min(now.Sub(stamp), l.window())
}

// penalty returns Penalty, bounded so that Window + Penalty fits into a time.Duration.
func (l *Linear) penalty() time.Duration {
	return min(max(l.Penalty, 0), math.MaxInt64-l.window())
}

// linearPrice returns how far a request moves the timestamp, and false if a request of that cost is never allowed.
func linearPrice(quota int64, window time.Duration, cost int64) (time.Duration, bool) {
	switch {
	case cost <= 0:
		return 0, true
	case cost > quota:
		return math.MaxInt64, false
	}
	return time.Duration(meter.MulDiv(cost, int64(window), quota)), true
}
