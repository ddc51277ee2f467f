package parse

import "time"

// Where numbers without a unit change their meaning. The name of the field does
// not decide: all of them carry delays at some servers and epochs at others.
const (
	longestDelay = 366 * 24 * 60 * 60 // seconds; monthly quotas have delays of millions
	firstSecond  = 1_000_000_000      // 2001, as an epoch in seconds
	firstMilli   = 100_000_000_000    // 1973, in milliseconds
	firstMicro   = 100_000_000_000_000
	firstNano    = 100_000_000_000_000_000

	// The clock of a testing/synctest bubble starts in 2000, so that its first
	// year is an epoch as well: as milliseconds it would be eleven days.
	bubbleStart = 946_684_800
	bubbleEnd   = 978_307_200
)

// Reset reads RateLimit-Reset, X-RateLimit-Reset or X-Rate-Limit-Reset: a
// number (see the package comment for what it means), an RFC 3339 or HTTP date,
// or a duration such as 6m0s. Of several lines the longest wait counts; equal
// numbers in one line are one. Without a time the result is zero: its Form is
// Absent. The error is an *Error.
func Reset(lines []string) (When, error) {
	w, _, f := singleton(lines, readReset, When.later)
	return w, f.in("RateLimit-Reset")
}

// ResetAfter reads X-RateLimit-Reset-After: a number of seconds, or a duration.
// Of several lines the longest wait counts. Without a time the result is zero:
// its Form is Absent. The error is an *Error.
func ResetAfter(lines []string) (When, error) {
	w, _, f := singleton(lines, readResetAfter, When.later)
	return w, f.in("X-RateLimit-Reset-After")
}

func readReset(value string) (When, fault) {
	d, f := readDecimal(value)
	if f.err == nil {
		return d.reset(), fault{}
	}
	if w, ok := readDate(value); ok {
		return w, fault{}
	}
	return f.readDuration(value)
}

func readResetAfter(value string) (When, fault) {
	d, f := readDecimal(value)
	if f.err == nil {
		return after(d.of(time.Second)), fault{}
	}
	return f.readDuration(value)
}

// reset is the meaning of a number in a -Reset field. What is too long for a
// delay and too early for an epoch is a delay in milliseconds.
func (d decimal) reset() When {
	switch {
	case d.negative || d.whole <= longestDelay:
		return When{Form: Delay, After: d.of(time.Second), Bare: true}
	case d.whole < firstSecond && (d.whole < bubbleStart || d.whole >= bubbleEnd):
		return after(d.of(time.Millisecond))
	case d.whole < firstMilli:
		return at(time.Unix(d.whole, d.billions).UTC())
	case d.whole < firstMicro:
		return at(time.UnixMilli(d.whole).Add(d.fraction(time.Millisecond)).UTC())
	case d.whole < firstNano:
		return at(time.UnixMicro(d.whole).Add(d.fraction(time.Microsecond)).UTC())
	}
	return at(time.Unix(0, d.whole).UTC())
}

// readDate reads a date in any form.
func readDate(value string) (When, bool) {
	s := scanner{s: value}
	s.skipOWS()
	start := s.off
	t, err := s.timestamp()
	if err != nil || !s.done() {
		s.off = start
		t, err = s.httpDate()
	}
	if err != nil || !s.done() {
		return When{}, false
	}
	return at(t), true
}

// readDuration reads a value that is not a number, because of f.
func (f fault) readDuration(value string) (When, fault) {
	if !f.otherGrammar() {
		return When{}, f
	}
	s := scanner{s: value}
	s.skipOWS()
	d, err := s.duration()
	if err != nil {
		return When{}, fault{s.off, ErrTime}
	}
	return after(d), fault{}
}
