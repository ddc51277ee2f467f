package ratelimittest

import (
	"math"
	"sync"
	"time"
)

// Exponential is the exponential rate limit: it measures a client's average rate,
// which forgets the past exponentially, and compares it with Quota, the rate in
// units per Window and the largest burst. It is the measure of the ratelimit
// condition of Exim (specification, "Rate limiting incoming messages"), described
// for rate limits in general in https://dotat.at/@/2024-09-02-ewma.html.
//
// It keeps the time of the last update and the average rate per client. A request
// comes Δ after the last one, in Windows and at least 1e-10 of one, and makes of
// the average
//
//	cost/Δ × (1 − alpha) + average × alpha, where alpha = exp(−Δ)
//
// or the cost, if that is more. It is allowed if the new average is not above
// Quota. So requests in quick succession count in full, a rare one counts as its
// cost, 63 % of an average is forgotten in a Window, and one that has reached
// Quota is held there by one unit every Window/Quota. Two forms differ in what
// they measure:
//
//   - leaky, the default: what was allowed; a refused request changes nothing;
//   - strict: what was attempted; a refused request is averaged in too, without
//     bound, so that a client must slow down before it is let in again.
//
// With the average after the decision, decayed until now, r = Quota − average,
// rounded down, and t = (Quota − average) × Window/Quota; both are 0 if the
// average is above Quota. RetryAfter is the time until the same request would not
// lift the average above Quota. That is later than the Window × ln(average/Quota)
// by which an average decays to Quota, because the request counts at that time
// as well: it is where that formula, applied again at the time that it gives,
// yields 0. A cost above Quota is never allowed.
//
// The zero value refuses everything; set Quota and Window, or use NewExponential.
// An Exponential is safe for concurrent use, must not be copied after first use,
// and keeps at most MaxClients averages, each until it is far below one unit:
// Window × (2 + ln average) without requests. It calculates in floating point,
// with costs and quotas exact up to 2⁵³, yet the time that it announces is exact
// to the nanosecond.
type Exponential struct {
	Policy

	// Strict counts refused requests as well.
	Strict bool

	mu      sync.Mutex
	clients table[average] // guarded by mu
}

// NewExponential returns a leaky Exponential that allows each client quota units
// per window.
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
		// To the table it was last changed when it will be worth no more than none.
		e.clients.put(client, a.faded(window), a)
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

// An average is a client's average rate, in units per window, as of its last
// update.
type average struct {
	rate float64
	at   time.Time
}

// windows returns how many windows ago the last update was: 0 for a now before it.
func (a average) windows(now time.Time, window time.Duration) float64 {
	return max(float64(now.Sub(a.at))/float64(window), 0)
}

// with returns the average with a request at now, whose cost is positive.
func (a average) with(now time.Time, cost int64, window time.Duration) average {
	since := max(a.windows(now, window), 1e-10)
	// 1 − Exp(−since) would lose six digits of a burst's cost, and refuse its end.
	rate := -math.Expm1(-since)*float64(cost)/since + math.Exp(-since)*a.rate
	if now.Before(a.at) {
		now = a.at // or time would pass twice
	}
	return average{rate: max(rate, float64(cost)), at: now}
}

func (a average) admits(now time.Time, cost, quota int64, window time.Duration) bool {
	return cost <= 0 || cost <= quota && a.with(now, cost, window).rate <= float64(quota)
}

// next searches for the first instant whose average really is not above quota,
// rounding included; the average with a request only falls with time.
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

// left returns r and t. A quota of 0 is as one that is whole.
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

// faded returns when the average will be so low that it changes no decision: a
// request more than two windows after the last counts as its cost if the rest of
// the average is below half a unit.
func (a average) faded(window time.Duration) time.Time {
	return a.at.Add(time.Duration(min(float64(window)*(2+math.Log(a.rate)), 1<<63-1024))) // the greatest float64 that is a Duration
}
