package meter

import (
	"math"
	"math/bits"
)

// MulDiv returns a × b / c rounded down, or math.MaxInt64 if that is less. a and b are not negative, c is
// positive. The product is 128 bits wide, as a day in nanoseconds times a quota in bytes does not fit into 64
// bits.
func MulDiv(a, b, c int64) int64 {
	q, _, fits := mulAddDiv(a, b, 0, c)
	if !fits {
		return math.MaxInt64
	}
	return q
}

// mulAddDiv returns the quotient, rounded down, and the remainder of (a × b + c) / d. a and b are not
// negative, d is positive. It returns false if the quotient is above math.MaxInt64.
func mulAddDiv(a, b int64, c uint64, d int64) (quotient, remainder int64, fits bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	lo, carry := bits.Add64(lo, c, 0)
	hi += carry
	if hi >= uint64(d) {
		return 0, 0, false
	}
	q, r := bits.Div64(hi, lo, uint64(d))
	return int64(q), int64(r), q <= math.MaxInt64
}
