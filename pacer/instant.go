package pacer

import (
	"math"
	"time"
)

// An Instant is a point in time: nanoseconds since an origin that the caller
// chooses once, on a clock that is not set back (time.Since of a fixed
// time.Time is one). Eight bytes instead of time.Time's twenty-four keep a
// hundred thousand idle partitions small.
type Instant int64

// Never is later than every other Instant.
const Never Instant = math.MaxInt64

// Add returns t+d, held at the ends of the range instead of wrapping round.
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

// Sub returns t−u, held at the ends of time.Duration's range.
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

// scale returns d×f, held at the ends of the range; NaN gives 0.
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

// interval is the time between two units at a rate in units per nanosecond; 0,
// no interval, for a rate that is not positive, and never 0 for one that is.
func interval(rate float64) time.Duration {
	if rate <= 0 {
		return 0
	}
	return max(1, scale(1, 1/rate))
}

// lesser is min without its care for NaN, which takes as long as an addition.
func lesser(a, b float64) float64 {
	if b < a {
		return b
	}
	return a
}

// greater is max without it.
func greater(a, b float64) float64 {
	if b > a {
		return b
	}
	return a
}

// within returns f held within [least, most]; NaN gives least or 0, whichever is more.
func within[F float32 | float64 | ~int64](f, least, most F) F {
	if f != f {
		f = 0
	}
	return min(max(f, least), most)
}
