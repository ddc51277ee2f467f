package parse

import (
	"strings"
	"time"
)

// The sizes at which a number without a unit changes its meaning. The name of the field does not decide:
// under each name some servers send delays and others epochs.
const (
	longestDelay = 366 * 24 * 60 * 60 // seconds; the delays of monthly quotas are millions of seconds
	firstSecond  = 1_000_000_000      // September 2001, as an epoch in seconds
	firstMilli   = 100_000_000_000    // March 1973, as an epoch in milliseconds
	firstMicro   = 100_000_000_000_000
	firstNano    = 100_000_000_000_000_000

	// Ticks of .NET, 100 ns each since the year 1, of the years 1902 to 2219. They are not read.
	firstTick = 600_000_000_000_000_000
	lastTick  = 700_000_000_000_000_000

	// The clock of a testing/synctest bubble starts in 2000. Its first year counts as an epoch too. As a
	// delay in milliseconds it would be eleven days.
	bubbleStart = 946_684_800
	bubbleEnd   = 978_307_200
)

// Reset reads RateLimit-Reset, X-RateLimit-Reset or X-Rate-Limit-Reset. The value is a number, an RFC
// 3339 or HTTP date, or a duration such as 6m0s. The package comment says what a number means. If there
// are several lines, the longest wait counts; equal numbers on one line count as one. If nothing can be
// read the result is zero: its Form is Absent. The error is an *Error.
func Reset(lines []string) (When, error) {
	w, _, f := singleton(lines, readReset, When.later)
	return w, f.asError("RateLimit-Reset")
}

// ResetAfter reads X-RateLimit-Reset-After: a number of seconds, or a duration. If there are several
// lines, the longest wait counts. If nothing can be read the result is zero: its Form is Absent. The
// error is an *Error.
func ResetAfter(lines []string) (When, error) {
	w, _, f := singleton(lines, readResetAfter, When.later)
	return w, f.asError("X-RateLimit-Reset-After")
}

func readReset(value string) (When, fault) {
	d, f := readDecimal(value)
	if f.err == nil {
		if w := d.reset(); w.Form != Absent {
			return w, fault{}
		}
		return When{}, fault{0, ErrRange}
	}
	if w, ok := readDate(value); ok {
		return w, fault{}
	}
	w, f := f.readDuration(value)
	if w.After >= time.Hour && strings.Contains(value, ":") {
		return When{}, fault{0, ErrTime} // 12:00:30 may be a time of day
	}
	return w, f
}

func readResetAfter(value string) (When, fault) {
	d, f := readDecimal(value)
	if f.err == nil {
		return after(d.of(time.Second)), fault{}
	}
	return f.readDuration(value)
}

// reset returns what a number in a -Reset field means. A number that is too large for a delay and too
// small for an epoch is a delay in milliseconds. The result is zero for a number that is no time.
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
	case firstTick <= d.whole && d.whole < lastTick:
		return When{}
	}
	return at(time.Unix(0, d.whole).UTC())
}

// readDate reads a date in any of the accepted forms.
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

// readDuration reads a value that is not a number. f is the fault of reading it as a number.
func (f fault) readDuration(value string) (When, fault) {
	if !f.allowsOtherGrammar() {
		return When{}, f
	}
	s := scanner{s: value}
	s.skipOWS()
	d, err := s.duration()
	if err == nil {
		return after(d), fault{}
	}
	if d, ok := readClock(value); ok {
		return after(d), fault{}
	}
	return When{}, fault{s.off, ErrTime}
}

// readClock reads a delay in hours, minutes and seconds, such as 00:04:59 or 00:04:59.5.
func readClock(value string) (time.Duration, bool) {
	s := scanner{s: trim(value)}
	hours, _, err := s.digits(4)
	var minutes int
	if err != nil || !s.accept(':') || !s.fixedDigits(2, &minutes) || minutes > 59 || !s.accept(':') {
		return 0, false
	}
	var seconds decimal
	if s.magnitude(&seconds) != nil || !s.eof() || seconds.whole > 59 {
		return 0, false
	}
	return time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute + seconds.of(time.Second), true
}
