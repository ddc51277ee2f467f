package ratelimittest

import (
	"math"
	"math/bits"
)

// mulDiv returns a × b / c rounded down, for a and b not negative and c
// positive, without overflow on the way and held at math.MaxInt64. A day in
// nanoseconds times a quota in bytes does not fit into 64 bits.
func mulDiv(a, b, c int64) int64 {
	q, _, fits := mulAddDiv(a, b, 0, c)
	if !fits {
		return math.MaxInt64
	}
	return q
}

// mulAddDiv returns (a × b + c) / d rounded down and the remainder, without
// overflow on the way, for a, b not negative and d positive; false if the result
// is above math.MaxInt64.
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
