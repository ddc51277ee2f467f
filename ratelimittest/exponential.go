package ratelimittest

import (
	"math"
	"sync"
	"time"
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
// or the cost, if that is more. The request is allowed if the new average is not above Quota. The effects
// are:
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
// The zero value refuses everything; set Quota and Window, or use NewExponential. An Exponential is safe for
// concurrent use and must not be copied after first use. It keeps averages of at most MaxClients clients, and
// drops an average after Window × (2 + ln average) without requests, when it is far below one unit. It
// calculates in floating point, with costs and quotas exact up to 2⁵³. RetryAfter is exact to the nanosecond
// nevertheless.
type Exponential struct {
	Policy

	// Strict counts refused requests, too.
	Strict bool

	mu      sync.Mutex
	clients table[average] // guarded by mu
}

// NewExponential returns a leaky Exponential that allows each client quota units per window.
func NewExponential(quota int64, window time.Duration) *Exponential {
	return &Exponential{Policy: Policy{Quota: quota, Window: window}}
}

// Take implements Limiter.
func (e *Exponential) Take(now time.Time, client string, cost int64) Decision {
	quota, window := e.quota(now), e.window()

	e.mu.Lock()
	defer e.mu.Unlock()
	e.clients.forget(now)
	a := e.clients.get(client, average{at: now})
	allowed := a.admits(now, cost, quota, window)
	if cost > 0 && (allowed || e.Strict) {
		a = a.with(now, cost, window)
		// The table forgets the average at that time, when it no longer matters.
		e.clients.put(client, a.negligibleAt(window), a)
	}

	remaining, reset := a.left(now, quota, window)
	d := Decision{Allowed: allowed, Limits: []Limit{e.limit(client, quota, remaining, reset)}}
	if !allowed {
		if at, ever := a.next(now, cost, quota, window); ever {
			d.RetryAfter = at.Sub(now)
		}
	}
	return d
}

func (e *Exponential) next(now time.Time, client string, cost int64) (time.Time, bool) {
	quota, window := e.quota(now), e.window()

	e.mu.Lock()
	defer e.mu.Unlock()
	return e.clients.get(client, average{at: now}).next(now, cost, quota, window)
}

// An average is a client's average rate at its last update, in units per window.
type average struct {
	rate float64
	at   time.Time
}

// windows returns the number of windows since the last update, and 0 if now is before it.
func (a average) windows(now time.Time, window time.Duration) float64 {
	return max(float64(now.Sub(a.at))/float64(window), 0)
}

// with returns the average after a request at now. cost is positive.
func (a average) with(now time.Time, cost int64, window time.Duration) average {
	since := max(a.windows(now, window), 1e-10)
	// 1 − Exp(−since) would lose six digits of a burst's cost, and refuse the burst's last requests.
	rate := -math.Expm1(-since)*float64(cost)/since + math.Exp(-since)*a.rate
	if now.Before(a.at) {
		now = a.at // otherwise the same time would pass twice
	}
	return average{rate: max(rate, float64(cost)), at: now}
}

func (a average) admits(now time.Time, cost, quota int64, window time.Duration) bool {
	return cost <= 0 || cost <= quota && a.with(now, cost, window).rate <= float64(quota)
}

// next searches for the first instant at which the request is allowed, in the same rounded arithmetic. The
// average with the request only falls with time, so bisection works.
func (a average) next(now time.Time, cost, quota int64, window time.Duration) (time.Time, bool) {
	if a.admits(now, cost, quota, window) {
		return now, true
	}
	refused, allowed := time.Duration(0), time.Duration(math.MaxInt64)
	if !a.admits(now.Add(allowed), cost, quota, window) {
		return now, false
	}
	for allowed-refused > 1 {
		if mid := refused + (allowed-refused)/2; a.admits(now.Add(mid), cost, quota, window) {
			allowed = mid
		} else {
			refused = mid
		}
	}
	return now.Add(allowed), true
}

// left returns r and t. A quota of 0 is reported as unused.
func (a average) left(now time.Time, quota int64, window time.Duration) (remaining int64, reset time.Duration) {
	limit, w := float64(quota), float64(window)
	left := max(limit-a.rate*math.Exp(-a.windows(now, window)), 0)
	remaining, reset = quota, window
	if left < limit {
		remaining = int64(left)
	}
	if t := math.Ceil(left * w / limit); t < w {
		reset = time.Duration(t)
	}
	return remaining, reset
}

// negligibleAt returns when the average no longer changes a decision: below half a unit, more than two
// windows after the last request. Any request then counts as its cost.
func (a average) negligibleAt(window time.Duration) time.Time {
	return a.at.Add(time.Duration(min(float64(window)*(2+math.Log(a.rate)), 1<<63-1024))) // the greatest float64 that fits into a Duration
}
