package parse

import (
	"math"
	"math/bits"
	"strings"
	"time"
)

// A Form is the way in which a When was written.
type Form uint8

// The forms of a When.
const (
	Absent Form = iota // the field is absent or malformed
	Delay              // a delay from receipt, a number or a duration: After is set
	Date               // a point in time on the server's clock: At is set
)

// A When is a time as a field reports it: a delay or a date.
type When struct {
	Form  Form
	Bare  bool          // a number of seconds in a -Reset field, recognized as a delay by its size alone
	After time.Duration // as sent, possibly negative; saturates at math.MaxInt64
	At    time.Time     // in UTC
}

func after(d time.Duration) When { return When{Form: Delay, After: d} }

func at(t time.Time) When { return When{Form: Date, At: t} }

// longer returns the longer wait of w and v. An absent wait does not count. A delay and a date cannot be
// compared without a clock: then it returns w.
func (w When) longer(v When) When {
	switch {
	case w.Form == Absent:
		return v
	case w.Form != v.Form:
		return w
	case w.Form == Delay && v.After > w.After, w.Form == Date && v.At.After(w.At):
		return v
	}
	return w
}

// times returns n × unit, saturated. Both must not be negative.
func times(n int64, unit time.Duration) time.Duration {
	hi, lo := bits.Mul64(uint64(n), uint64(unit))
	if hi > 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(lo)
}

// plus returns d + e, saturated. Both must not be negative.
func plus(d, e time.Duration) time.Duration {
	if d > math.MaxInt64-e {
		return math.MaxInt64
	}
	return d + e
}

// The sizes at which a number without a unit changes its meaning. The name of the field does not decide:
// under each name some servers send delays and others epochs.
const (
	longestDelay = 366 * 24 * 60 * 60 // seconds; the delays of monthly quotas are millions of seconds
	firstSecond  = 1_000_000_000      // September 2001, as an epoch in seconds
	firstMilli   = 100_000_000_000    // March 1973, as an epoch in milliseconds
	firstMicro   = 100_000_000_000_000
	firstNano    = 100_000_000_000_000_000

	// The digits of dates and times such as 20260304120000.
	firstDigits = 20_00_01_01_00_00_00
	lastDigits  = 21_00_01_01_00_00_00

	// Ticks of .NET, 100 ns each since the year 1, of the years 1902 to 2219. They are not read.
	firstTick = 600_000_000_000_000_000
	lastTick  = 700_000_000_000_000_000

	// The clock of a testing/synctest bubble starts in 2000. Its first year counts as an epoch too. As a
	// delay in milliseconds it would be eleven days.
	bubbleStart = 946_684_800
	bubbleEnd   = 978_307_200
)

func readReset(value string) (When, fault) {
	d, f := readDecimal(value)
	if f.err == nil {
		return d.reset()
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

// readResetAfter reads a number of seconds, or a duration.
func readResetAfter(value string) (When, fault) {
	d, f := readDecimal(value)
	if f.err == nil {
		return d.delay(time.Second)
	}
	return f.readDuration(value)
}

// delay returns what a number in a field for delays in that unit means. An epoch of this century in milliseconds or a finer
// unit is one: as a delay it would be years. The digits of a date, and ticks, are no time. Other numbers of that size stand
// for ever, as the greatest numbers of a type do.
func (d decimal) delay(unit time.Duration) (When, fault) {
	w, f := d.reset()
	year := w.At.Year() // 2000: as in bubbles of testing/synctest
	isEpoch := w.Form == Date && (year == 2000 || 2014 <= year && year < 2100)
	if d.whole >= firstMilli && (isEpoch || f.err != nil || firstDigits <= d.whole && d.whole < lastDigits) {
		return w, f
	}
	return after(d.of(unit)), fault{}
}

// reset returns what a number in a -Reset field means. A number that is too large for a delay and too
// small for an epoch is a delay in milliseconds.
func (d decimal) reset() (When, fault) {
	switch {
	case d.negative || d.whole <= longestDelay:
		return When{Form: Delay, After: d.of(time.Second), Bare: true}, fault{}
	case d.whole < firstSecond && (d.whole < bubbleStart || d.whole >= bubbleEnd):
		return after(d.of(time.Millisecond)), fault{}
	case d.whole < firstMilli:
		return at(time.Unix(d.whole, d.billions).UTC()), fault{}
	case d.whole < firstMicro:
		return at(time.UnixMilli(d.whole).Add(d.fraction(time.Millisecond)).UTC()), fault{}
	case d.whole < firstNano:
		return at(time.UnixMicro(d.whole).Add(d.fraction(time.Microsecond)).UTC()), fault{}
	case firstTick <= d.whole && d.whole < lastTick:
		return When{}, fault{0, ErrRange}
	}
	return at(time.Unix(0, d.whole).UTC()), fault{}
}

// readDuration reads a value that is not a number. f is the fault of reading it as a number.
func (f fault) readDuration(value string) (When, fault) {
	if !f.allowsOtherGrammar() {
		return When{}, f
	}
	s := scanner{s: value}
	s.skipOWS()
	if d := s.duration(); s.err == nil {
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
	hours, _ := s.digits(4)
	s.expect(':')
	minutes, width := s.digits(2)
	s.expect(':')
	seconds := s.magnitude()
	isClock := s.err == nil && s.eof() && width == 2 && minutes <= 59 && seconds.whole <= 59
	return time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute + seconds.of(time.Second), isClock
}

// duration reads the rest of the value as a Go duration such as 6m0s or 2m59.56s, with days as well. The
// result saturates.
func (s *scanner) duration() (sum time.Duration) {
	isNegative := s.accept('-')
	for n := 0; n == 0 || !s.eof(); n++ {
		d := s.magnitude()
		unit := s.timeUnit()
		if unit == 0 {
			s.fail(ErrTime)
		}
		sum = plus(sum, d.of(unit))
		s.skipOWS()
	}
	if isNegative {
		sum = -sum
	}
	return sum
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
