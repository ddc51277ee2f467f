package pacer

import (
	"math"
	"time"
)

// An Instant is a point in time: nanoseconds since an origin that the caller chooses once, on a monotonic
// clock, such as time.Since of a fixed time.Time. It has 8 bytes instead of time.Time's 24, so that a hundred
// thousand idle partitions stay small.
type Instant int64

// Never is later than every other Instant.
const Never Instant = math.MaxInt64

// Add returns t+d, limited to the range of Instant.
func (t Instant) Add(d time.Duration) Instant {
	sum := t + Instant(d)
	if d > 0 && sum < t {
		return Never
	}
	if d < 0 && sum > t {
		return math.MinInt64
	}
	return sum
}

// Sub returns t−u, limited to the range of time.Duration.
func (t Instant) Sub(u Instant) time.Duration {
	diff := time.Duration(t - u)
	if t > u && diff < 0 {
		return math.MaxInt64
	}
	if t < u && diff > 0 {
		return math.MinInt64
	}
	return diff
}

// scale returns d×f, limited to the range of time.Duration; NaN gives 0.
func scale(d time.Duration, f float64) time.Duration {
	x := float64(d) * f
	switch {
	case x >= math.MaxInt64:
		return math.MaxInt64
	case x <= math.MinInt64:
		return math.MinInt64
	case math.IsNaN(x):
		return 0
	}
	return time.Duration(x)
}

// interval returns the time between two units at a rate in units per nanosecond. It is 0, no interval, for a
// rate that is not positive, and at least 1 otherwise.
func interval(rate float64) time.Duration {
	if rate <= 0 {
		return 0
	}
	return max(1, scale(1, 1/rate))
}

// lesser returns the minimum without the NaN checks of min, which take as long as an addition.
func lesser(a, b float64) float64 {
	if b < a {
		return b
	}
	return a
}

// greater returns the maximum without NaN checks.
func greater(a, b float64) float64 {
	if b > a {
		return b
	}
	return a
}

// within returns f limited to [least, most]. NaN counts as 0.
func within[F float32 | float64 | ~int64](f, least, most F) F {
	if f != f {
		f = 0
	}
	return min(max(f, least), most)
}
