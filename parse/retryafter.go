package parse

import (
	"errors"
	"time"
)

// RetryAfter reads Retry-After (RFC 9110 §10.2.3): seconds, also with a
// fraction, or a date in any of the forms of HTTP or in RFC 3339's. A fraction
// is never cut to nothing and a huge number saturates. Signs, exponents, units
// and quotes are no part of a number here. Of several lines the longest wait
// counts. Without a time the result is zero: its Form is Absent. The error is an
// *Error.
func RetryAfter(lines []string) (When, error) {
	w, _, f := singleton(lines, readRetryAfter, When.later)
	return w, f.in("Retry-After")
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
