package pacer

import (
	"math"
	"time"
)

// An Instant is a point in time: nanoseconds since an origin that the caller chooses once, on a monotonic clock, such
// as time.Since of a fixed time.Time.
type Instant int64

// Never is later than every other Instant.
const Never Instant = math.MaxInt64

// Add returns t+d, and Never if that is later.
func (t Instant) Add(d time.Duration) Instant {
	if d > 0 && t > Never-Instant(d) {
		return Never
	}
	return t + Instant(d)
}

// Sub returns t−u, limited to the range of time.Duration.
func (t Instant) Sub(u Instant) time.Duration {
	diff := time.Duration(t - u)
	switch {
	case t > u && diff < 0:
		return math.MaxInt64
	case t < u && diff > 0:
		return math.MinInt64
	}
	return diff
}

// Inside the package times are seconds, which formulas read better in. They are exact to a nanosecond for a hundred
// days. The partition's own clock never goes back. If the caller's is set back, it goes on as if no time had passed.

const overtaking = 1.0 // seconds by which a call may lag behind another; a clock that was set back lags by more. More: waits after that. Less: windows end too early

// at returns a time on the partition's own clock.
func (p *Partition) at(t Instant) float64 { return float64(t)/1e9 + p.skew }

// time returns the time of an event on the partition's own clock, and moves that clock on.
func (p *Partition) time(now Instant) float64 {
	if back := p.latest - p.at(now); back > overtaking {
		p.skew += back
	}
	p.latest = max(p.latest, p.at(now))
	return p.latest
}

// instant converts a time back to the caller's clock. It rounds up, so that what may go at a time may go at its
// Instant.
func (p *Partition) instant(t float64) Instant { return Instant(nanoseconds(t - p.skew)) }

// end is instant for the end of a window or hold; 0: unknown or none.
func (p *Partition) end(t float64) Instant {
	if t <= 0 {
		return 0
	}
	return p.instant(t)
}

func nanoseconds(s float64) time.Duration {
	switch s = math.Ceil(s*1e9 - 0.25); {
	case s >= math.MaxInt64:
		return math.MaxInt64
	case s <= math.MinInt64:
		return math.MinInt64
	}
	return time.Duration(s)
}
