package sim

import (
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/headway-go/headway/ratelimittest"
)

// LowerQuota returns a Policy.QuotaAt for a quota that is lower from the given time on.
func LowerQuota(quota, lower int64, from time.Time) func(now time.Time) int64 {
	return func(now time.Time) int64 {
		if now.Before(from) {
			return quota
		}
		return lower
	}
}

// PushBack returns a Limiter that decides as l, but refuses every request in [from, until), whatever its cost and
// whatever remains. It is a server that sheds load with Retry-After (draft-ietf-httpapi-ratelimit-headers-10, Appendix
// B.3). The refusals take no quota of l, and the limits of l are reported as they are.
func PushBack(l ratelimittest.Limiter, from, until time.Time) ratelimittest.Limiter {
	return &pushBack{l, from, until}
}

type pushBack struct {
	limiter     ratelimittest.Limiter
	from, until time.Time
}

// Take implements ratelimittest.Limiter.
func (p *pushBack) Take(now time.Time, client string, cost int64) ratelimittest.Decision {
	if now.Before(p.from) || !now.Before(p.until) {
		return p.limiter.Take(now, client, cost)
	}
	d := p.limiter.Take(now, client, 0)
	d.Allowed, d.RetryAfter = false, p.until.Sub(now)
	return d
}

// Fresh returns a PushBack of a fresh Limiter.
func (p *pushBack) Fresh() ratelimittest.Limiter {
	return PushBack(Fresh(p.limiter), p.from, p.until)
}

// Fresh returns a Limiter with l's settings that has decided nothing yet. It panics if l has no Fresh.
func Fresh(l ratelimittest.Limiter) ratelimittest.Limiter {
	return l.(interface{ Fresh() ratelimittest.Limiter }).Fresh()
}

// Chance returns a function for Fault.When that chooses each request with probability p. The choice is drawn from rng, so
// a seed repeats it if the requests come in the same order. It is safe for concurrent use, but rng must not be used
// elsewhere.
func Chance(rng *rand.Rand, p float64) func(*http.Request) bool {
	var mu sync.Mutex
	return func(*http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		return rng.Float64() < p
	}
}
