package parse

import (
	"cmp"
	"math"
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
	Bare  bool          // a number of seconds without a unit, recognized as a delay by its size alone
	After time.Duration // as sent, possibly negative; saturates at math.MaxInt64
	At    time.Time     // in UTC
}

func after(d time.Duration) When { return When{Form: Delay, After: d} }

func at(t time.Time) When { return When{Form: Date, At: t} }

// longer returns the longer wait of w and v. An absent wait does not count. A delay and a date cannot be
// compared without a clock: then it returns w.
func (w When) longer(v When) When {
	if w.Form == Absent || w.Form == v.Form && (v.After > w.After || v.At.After(w.At)) {
		return v
	}
	return w
}

// read reads a time that belongs on one line. Of several lines, and of them and w, the longest wait counts. It leaves w as it
// is if no line is well formed.
func (w *When) read(lines []string, unit time.Duration) fault {
	read := func(value string) (When, fault) { return readTime(value, unit) }
	return readLines(lines, read, func(v When) { *w = w.longer(v) })
}

// times returns n × unit, saturated. Both must not be negative.
func times(n int64, unit time.Duration) time.Duration {
	if n > math.MaxInt64/int64(unit) {
		return math.MaxInt64
	}
	return time.Duration(n) * unit
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
	firstSecond  = 946_684_800        // the year 2000, in which the clock of a testing/synctest bubble starts
	firstMilli   = 100_000_000_000    // March 1973, as an epoch in milliseconds; finer units follow in steps of 1000

	// The digits of dates and times such as 20260304120000.
	firstDigits = 20_00_01_01_00_00_00
	lastDigits  = 21_00_01_01_00_00_00

	// Ticks of .NET, 100 ns each since the year 1, of the years 1902 to 2219.
	firstTick = 600_000_000_000_000_000
	lastTick  = 700_000_000_000_000_000
)

// unknownUnit is the unit of a number in a -Reset field: its size says what it is.
const unknownUnit = time.Duration(0)

// readTime reads a time in any form. unit is that of a number.
func readTime(value string, unit time.Duration) (When, fault) {
	number, f := readDecimal(value)
	switch {
	case f.err == nil:
		return number.when(unit)
	case !f.allowsOtherGrammar():
		return When{}, f
	}
	s := scanner{s: value}
	s.skipOWS()
	if d := s.duration(); s.err == nil {
		return after(d), fault{}
	}
	if w := readText(trim(value), unit); w.Form != Absent {
		return w, fault{}
	}
	return When{}, fault{s.offset, ErrTime}
}

// longestText is more bytes than any date has that a server sends.
const longestText = 128

// readText reads a date, or hours, minutes and seconds such as 00:04:59, or the name of a window such as minute. If the unit
// is unknown, an hour or more may be a time of day, which is not read.
func readText(text string, unit time.Duration) When {
	if len(text) > longestText {
		return When{}
	}
	if t, ok := readDate(text); ok {
		return at(t)
	}
	hours, rest, _ := strings.Cut(text, ":")
	if minutes, seconds, ok := strings.Cut(rest, ":"); ok {
		s := scanner{s: hours + "h" + minutes + "m" + seconds + "s"}
		if d := s.duration(); s.err == nil && (unit != unknownUnit || d < time.Hour) {
			return after(d)
		}
	}
	if w := lengthOf(text); w != Unknown {
		return after(w)
	}
	return When{}
}

// when returns what a number means in a field with that unit. If the unit is known, the number is a delay unless it is
// an epoch of this century in milliseconds or finer, which would be years. Others of that size stand for ever, as the
// greatest numbers of a type do. If the unit is unknown, a number that is too large for a delay and too small for an epoch
// is a delay in milliseconds.
func (d decimal) when(unit time.Duration) (When, fault) {
	switch {
	case d.negative || d.whole <= longestDelay:
		return When{Form: Delay, Bare: unit == unknownUnit, After: d.of(cmp.Or(unit, time.Second))}, fault{}
	case unit == unknownUnit && d.whole < firstSecond:
		return after(d.of(time.Millisecond)), fault{}
	case unit != unknownUnit && d.whole < firstMilli:
		return after(d.of(unit)), fault{}
	case firstDigits <= d.whole && d.whole < lastDigits, firstTick <= d.whole && d.whole < lastTick:
		return When{}, fault{0, ErrRange}
	}
	t := d.epoch()
	if unit == unknownUnit || isPlausible(t.Year()) {
		return at(t), fault{}
	}
	return after(d.of(unit)), fault{}
}

// isPlausible reports whether a year may be that of a reset. 2000 is that of bubbles of testing/synctest.
func isPlausible(year int) bool { return year == 2000 || 2014 <= year && year < 2100 }

// epoch returns the point in time that a number of seconds, milliseconds, microseconds or nanoseconds since 1970 means.
func (d decimal) epoch() time.Time {
	unit := time.Second
	for first := int64(firstMilli); unit > time.Nanosecond && d.whole >= first; first *= 1000 {
		unit /= 1000
	}
	n := int64(time.Second / unit)
	return time.Unix(d.whole/n, d.whole%n*int64(unit)+int64(d.fraction(unit))).UTC()
}

// units is the table of units in durations.
//
//nolint:gochecknoglobals // a table, which never changes
var units = tableOf(map[time.Duration]string{
	time.Nanosecond: "ns", time.Microsecond: "us µs μs", time.Millisecond: "ms", // U+00B5 and U+03BC
	time.Second: "s", time.Minute: "m", time.Hour: "h", day: "d",
})

// duration reads the rest of the value as a Go duration such as 6m0s or 2m59.56s, with days as well. The
// result saturates.
func (s *scanner) duration() (sum time.Duration) {
	isNegative := s.accept('-')
	for n := 0; n == 0 || !s.eof(); n++ {
		d, start := s.magnitude(), s.off
		unit, ok := units[s.while(isUnitChar)]
		if !ok {
			s.failAt(start, ErrTime)
			return 0
		}
		sum = plus(sum, d.of(unit))
		s.skipOWS()
	}
	if isNegative {
		sum = -sum
	}
	return sum
}

func isUnitChar(c byte) bool { return isAlpha(c) || c >= 0x80 }
