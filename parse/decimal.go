package parse

import (
	"math"
	"math/bits"
	"time"
)

// A decimal is a number outside of structured fields: a sign, digits, and perhaps a point and more
// digits. The whole part saturates instead of overflowing.
type decimal struct {
	negative bool
	whole    int64
	billions int64 // the fraction in 10⁻⁹, rounded up, so that a wait is never rounded down to 0
}

// decimal reads a number. It does not use strconv, which accepts hexadecimal numbers, exponents,
// underscores, NaN and Inf.
func (s *scanner) decimal() (d decimal, err error) {
	d.negative = s.accept('-')
	if !d.negative {
		s.accept('+')
	}
	err = s.magnitude(&d)
	d.negative = d.negative && (d.whole > 0 || d.billions > 0)
	return d, err
}

// magnitude reads a number without a sign.
func (s *scanner) magnitude(d *decimal) error {
	start := s.off
	for ; s.off < len(s.s) && isDigit(s.s[s.off]); s.off++ {
		d.whole = appendDigit(d.whole, s.s[s.off])
	}
	if s.off == start {
		return ErrNumber
	}
	if s.accept('.') {
		point := s.off
		d.billions = s.billions()
		if s.off == point {
			return ErrNumber
		}
	}
	if s.off-start > MaxDigits {
		return ErrDigits
	}
	return nil
}

// billions reads the digits after a point, in 10⁻⁹ and rounded up.
func (s *scanner) billions() (n int64) {
	scale, rest := int64(1e9), false
	for ; s.off < len(s.s) && isDigit(s.s[s.off]); s.off++ {
		if scale == 1 {
			rest = rest || s.s[s.off] != '0'
			continue
		}
		scale /= 10
		n += scale * int64(s.s[s.off]-'0')
	}
	if rest {
		n++
	}
	return n
}

func appendDigit(n int64, c byte) int64 {
	digit := int64(c - '0')
	if n > (math.MaxInt64-digit)/10 {
		return math.MaxInt64
	}
	return n*10 + digit
}

// floor returns the greatest integer that is not above d.
func (d decimal) floor() int64 {
	switch {
	case !d.negative:
		return d.whole
	case d.billions > 0 && d.whole < math.MaxInt64:
		return -d.whole - 1
	}
	return -d.whole
}

// of returns d units of time, saturated.
func (d decimal) of(unit time.Duration) time.Duration {
	sum := plus(times(d.whole, unit), d.fraction(unit))
	if d.negative {
		return -sum
	}
	return sum
}

// fraction returns the part after the point in units of time, rounded up.
func (d decimal) fraction(unit time.Duration) time.Duration {
	if d.billions == 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(d.billions), uint64(unit))
	n, rest := bits.Div64(hi, lo, 1e9)
	if rest > 0 {
		n++
	}
	return time.Duration(n)
}
