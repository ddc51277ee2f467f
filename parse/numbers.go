package parse

import (
	"math"
	"strings"
	"time"
	"unicode"
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
func (s *scanner) decimal() decimal {
	isNegative := s.accept('-')
	if !isNegative {
		s.accept('+')
	}
	d := s.magnitude()
	d.negative = isNegative && (d.whole > 0 || d.billions > 0)
	return d
}

// magnitude reads a number without a sign.
func (s *scanner) magnitude() (d decimal) {
	start := s.off
	for ; s.off < len(s.s) && isDigit(s.s[s.off]); s.off++ {
		if digit := int64(s.s[s.off] - '0'); d.whole > (math.MaxInt64-digit)/10 {
			d.whole = math.MaxInt64
		} else {
			d.whole = d.whole*10 + digit
		}
	}
	isNumber := s.off > start
	if isNumber && s.accept('.') {
		point := s.off
		d.billions = s.billions()
		isNumber = s.off > point
	}
	if !isNumber {
		s.fail(ErrNumber)
	}
	if s.off-start > MaxDigits {
		s.fail(ErrTooLong)
	}
	return d
}

// billions reads the digits after a point, in 10⁻⁹ and rounded up.
func (s *scanner) billions() (n int64) {
	digits := s.while(isDigit)
	for i := range 9 {
		n *= 10
		if i < len(digits) {
			n += int64(digits[i] - '0')
		}
	}
	if strings.Trim(digits[min(len(digits), 9):], "0") != "" {
		n++
	}
	return n
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
	return time.Duration(math.Ceil(float64(d.billions) * float64(unit) / 1e9))
}

// readCount reads a number, possibly negative, without its fraction.
func readCount(value string) (int64, fault) {
	d, f := readDecimal(value)
	if d.negative {
		return -d.whole, f
	}
	return d.whole, f
}

// readPositive reads a number that is not negative.
func readPositive(value string) (decimal, fault) {
	d, f := readDecimal(value)
	if d.negative {
		f.note(0, ErrRange)
	}
	return d, f
}

// readDecimal reads a number, or several equal numbers that a proxy joined. Parameters after a number,
// such as 76;w=21600, are ignored.
func readDecimal(value string) (first decimal, f fault) {
	if n, ok := simpleNumber(value); ok {
		return decimal{whole: n}, fault{}
	}
	s := scanner{s: value}
	if s.done() {
		return decimal{}, fault{-1, ErrMissing}
	}
	for n := 0; s.member(n); n++ {
		start := s.off
		d := s.decimal()
		s.skipParams()
		if n > 0 && d != first {
			s.failAt(start, ErrConflict)
		}
		first = d
	}
	return first, s.fault
}

// readLines reads a field that belongs on one line. If there are several lines, it reads each line by itself and passes
// the value of each well-formed one to keep, which keeps the strictest. The fault is the first malformed line or the first
// contradiction.
func readLines[T comparable](lines []string, read func(string) (T, fault), keep func(T)) (f fault) {
	if err := withinBudget(lines); err != nil {
		return fault{-1, err}
	}
	base, isFirst := 0, true
	var first T
	for _, line := range lines {
		v, why := read(line)
		switch {
		case why.err != nil:
			f.note(why.inLineAt(base))
		case isFirst:
			first, isFirst = v, false
		case v != first:
			f.note(base, ErrConflict)
		}
		if why.err == nil {
			keep(v)
		}
		base += len(line) + len(separator)
	}
	return f
}

// readName reads a name. Names are only compared, so readName checks just the length and control characters.
func readName(line string) (string, fault) {
	text := trim(line)
	control := strings.IndexFunc(text, unicode.IsControl)
	switch {
	case text == "":
		return "", fault{-1, ErrMissing}
	case len(text) > MaxText:
		return "", fault{-1, ErrTooLong}
	case control >= 0:
		return "", fault{control, ErrSyntax}
	}
	return text, fault{}
}
