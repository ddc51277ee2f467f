package parse

import (
	"strings"
	"time"
)

// duration reads the rest of the value as a Go duration such as 6m0s or 2m59.56s, with days as well. The
// result saturates.
func (s *scanner) duration() (sum time.Duration, err error) {
	negative := s.accept('-')
	for {
		var d decimal
		if err := s.magnitude(&d); err != nil {
			return 0, err
		}
		unit := s.timeUnit()
		if unit == 0 {
			return 0, ErrTime
		}
		sum = plus(sum, d.of(unit))
		if s.done() {
			break
		}
	}
	if negative {
		sum = -sum
	}
	return sum, nil
}

// timeUnit reads a unit; 0 if there is none.
func (s *scanner) timeUnit() time.Duration {
	for _, u := range [...]struct {
		name string
		unit time.Duration
	}{
		{"ms", time.Millisecond}, // before m
		{"s", time.Second},
		{"m", time.Minute},
		{"h", time.Hour},
		{"d", day},
		{"us", time.Microsecond},
		{"µs", time.Microsecond}, // U+00B5
		{"μs", time.Microsecond}, // U+03BC
		{"ns", time.Nanosecond},
	} {
		if strings.HasPrefix(s.s[s.off:], u.name) {
			s.off += len(u.name)
			return u.unit
		}
	}
	return 0
}
