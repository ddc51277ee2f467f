package parse

// Remaining reads RateLimit-Remaining, X-RateLimit-Remaining or X-Rate-Limit-Remaining: a number,
// possibly negative. A fraction is rounded down, and parameters are ignored. If there are several lines,
// the smallest number counts; equal numbers on one line count as one. If nothing can be read the result
// is Unknown. The error is an *Error.
func Remaining(lines []string) (int64, error) {
	n, ok, f := readRemaining(lines)
	return orUnknown(n, ok), f.asError("RateLimit-Remaining")
}

// Used reads X-RateLimit-Used: a number that is not negative. If there are several lines, the greatest
// number counts. If nothing can be read the result is Unknown. The error is an *Error.
func Used(lines []string) (int64, error) {
	n, ok, f := readUsed(lines)
	return orUnknown(n, ok), f.asError("X-RateLimit-Used")
}

func readRemaining(lines []string) (int64, bool, fault) {
	return singleton(lines, readCount, func(a, b int64) int64 { return min(a, b) })
}

func readUsed(lines []string) (int64, bool, fault) {
	return singleton(lines, readPositive, func(a, b int64) int64 { return max(a, b) })
}

func orUnknown(n int64, ok bool) int64 {
	if !ok {
		return Unknown
	}
	return n
}

func readCount(value string) (int64, fault) {
	d, f := readDecimal(value)
	return d.floor(), f
}

func readPositive(value string) (int64, fault) {
	d, f := readDecimal(value)
	if f.err == nil && d.negative {
		f = fault{0, ErrRange}
	}
	return d.floor(), f
}

// readDecimal reads a number, or several equal numbers that a proxy joined. Parameters after a number,
// such as 76;w=21600, are ignored.
func readDecimal(value string) (first decimal, f fault) {
	if n, ok := simpleNumber(value); ok {
		return decimal{whole: n}, fault{}
	}
	s := scanner{s: value}
	if s.done() {
		return decimal{}, fault{-1, ErrEmpty}
	}
	for n := 0; ; n++ {
		more, err := s.next(n)
		if err != nil {
			return decimal{}, fault{s.off, err}
		}
		if !more {
			return first, fault{}
		}
		start := s.off
		d, err := s.decimal()
		if err == nil {
			err = s.skipParams()
		}
		if err != nil {
			return decimal{}, fault{s.off, err}
		}
		if n > 0 && d != first {
			return decimal{}, fault{start, ErrConflict}
		}
		first = d
	}
}
