package meter

import (
	"math"
	"time"
)

// An Average is a client's average rate at its last update, in units per window.
type Average struct {
	Rate float64
	At   time.Time
}

// windows returns the number of windows since the last update, and 0 if now is before it.
func (a Average) windows(now time.Time, window time.Duration) float64 {
	return max(float64(now.Sub(a.At))/float64(window), 0)
}

// With returns the average after a request at now. cost is positive.
func (a Average) With(now time.Time, cost int64, window time.Duration) Average {
	since := max(a.windows(now, window), 1e-10)
	// 1 − Exp(−since) would lose six digits of a burst's cost, and refuse the burst's last requests.
	rate := -math.Expm1(-since)*float64(cost)/since + math.Exp(-since)*a.Rate
	if now.Before(a.At) {
		now = a.At // otherwise the same time would pass twice
	}
	return Average{Rate: max(rate, float64(cost)), At: now}
}

// Admits reports whether a request at now is allowed.
func (a Average) Admits(now time.Time, cost, quota int64, window time.Duration) bool {
	return cost <= 0 || cost <= quota && a.With(now, cost, window).Rate <= float64(quota)
}

// Next searches for the first instant at which the request is allowed, in the same rounded arithmetic. The
// average with the request only falls with time, so bisection works.
func (a Average) Next(now time.Time, cost, quota int64, window time.Duration) (time.Time, bool) {
	if a.Admits(now, cost, quota, window) {
		return now, true
	}
	refused, allowed := time.Duration(0), time.Duration(math.MaxInt64)
	if !a.Admits(now.Add(allowed), cost, quota, window) {
		return now, false
	}
	for allowed-refused > 1 {
		if mid := refused + (allowed-refused)/2; a.Admits(now.Add(mid), cost, quota, window) {
			allowed = mid
		} else {
			refused = mid
		}
	}
	return now.Add(allowed), true
}

// Left returns r and t. A quota of 0 is reported as unused.
func (a Average) Left(now time.Time, quota int64, window time.Duration) (remaining int64, reset time.Duration) {
	limit, w := float64(quota), float64(window)
	left := max(limit-a.Rate*math.Exp(-a.windows(now, window)), 0)
	remaining, reset = quota, window
	if left < limit {
		remaining = int64(left)
	}
	if t := math.Ceil(left * w / limit); t < w {
		reset = time.Duration(t)
	}
	return remaining, reset
}

// NegligibleAt returns when the average no longer changes a decision: below half a unit, more than two
// windows after the last request. Any request then counts as its cost.
func (a Average) NegligibleAt(window time.Duration) time.Time {
	return a.At.Add(time.Duration(min(float64(window)*(2+math.Log(a.Rate)), 1<<63-1024))) // the greatest float64 that fits into a Duration
}
