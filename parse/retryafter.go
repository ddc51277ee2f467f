package parse

import (
	"errors"
	"time"
)

// RetryAfter reads Retry-After (RFC 9110 §10.2.3): a number of seconds, a date in any form of HTTP, or an
// RFC 3339 date. The seconds may have a fraction, which is never rounded down to 0. A huge number
// saturates. Signs, exponents, units and quotes are errors. If there are several lines, the longest wait
// counts. If nothing can be read the result is zero: its Form is Absent. The error is an *Error.
func RetryAfter(lines []string) (When, error) {
	w, _, f := singleton(lines, readRetryAfter, When.later)
	return w, f.asError("Retry-After")
}

func readRetryAfter(value string) (When, fault) {
	s := scanner{s: value}
	if s.done() {
		return When{}, fault{-1, ErrEmpty}
	}
	var d decimal
	err := s.magnitude(&d)
	if err == nil && s.done() {
		return after(d.of(time.Second)), fault{}
	}
	if w, ok := readDate(value); ok {
		return w, fault{}
	}
	if !errors.Is(err, ErrDigits) {
		err = ErrTime
	}
	return When{}, fault{s.off, err}
}
