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
	Delay              // a delay from receipt, in seconds or as a duration: After is set
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

// later returns the longer wait of w and v. A delay and a date cannot be compared without a clock: then
// it returns w.
func (w When) later(v When) When {
	switch {
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

// timestamp reads an RFC 3339 date and time. It also accepts a time without seconds, a space instead of
// the T, and no zone, which means UTC. Go's time.Time.String has more after the zone: its name, and the
// monotonic clock as in m=+0.000012.
func (s *scanner) timestamp() (time.Time, error) {
	var c civil
	if !s.day(&c) || !s.accept('T') && !s.accept('t') && !s.accept(' ') {
		return time.Time{}, ErrTime
	}
	seconds, ok := s.timeOfDay(&c)
	if !ok {
		return time.Time{}, ErrTime
	}
	if seconds && s.accept('.') {
		start := s.off
		c.nsec = int(s.billions())
		if s.off == start {
			return time.Time{}, ErrTime
		}
	}
	if !s.done() && !s.zone(&c) {
		return time.Time{}, ErrTime
	}
	if s.accept(' ') && s.word() != "" && s.accept(' ') && s.accept('m') && s.accept('=') {
		if _, err := s.decimal(); err != nil {
			return time.Time{}, ErrTime
		}
	}
	return c.time()
}

// day reads a date such as 2025-08-21.
func (s *scanner) day(c *civil) bool {
	return s.fixedDigits(4, &c.year) && s.accept('-') && s.fixedDigits(2, &c.month) && s.accept('-') && s.fixedDigits(2, &c.day)
}

// A civil is a date and time of day as written. Its parts are not checked yet.
type civil struct {
	year, month, day           int
	hour, minute, second, nsec int
	offset                     time.Duration // of the zone from UTC; positive for zones east of it
}

// time checks the parts of c and returns the time. A leap second is the second after it.
func (c civil) time() (time.Time, error) {
	if c.month < 1 || c.month > 12 || c.day < 1 || c.hour > 23 || c.minute > 59 || c.second > 60 {
		return time.Time{}, ErrTime
	}
	t := time.Date(c.year, time.Month(c.month), c.day, c.hour, c.minute, c.second, c.nsec, time.UTC)
	if last := time.Date(c.year, time.Month(c.month)+1, 0, 0, 0, 0, 0, time.UTC); c.day > last.Day() {
		return time.Time{}, ErrTime
	}
	return t.Add(-c.offset), nil
}

// timeOfDay reads hours and minutes, 18:02, and seconds if they follow. seconds reports whether they do.
func (s *scanner) timeOfDay(c *civil) (seconds, ok bool) {
	ok = s.fixedDigits(2, &c.hour) && s.accept(':') && s.fixedDigits(2, &c.minute)
	if !ok || !s.accept(':') {
		return false, ok
	}
	return true, s.fixedDigits(2, &c.second)
}

// fixedDigits reads exactly n digits.
func (s *scanner) fixedDigits(n int, out *int) bool {
	v, digits, err := s.digits(n)
	*out = int(v)
	return err == nil && digits == n
}

// word reads letters.
func (s *scanner) word() string {
	start := s.off
	for s.off < len(s.s) && isAlpha(s.s[s.off]) {
		s.off++
	}
	return s.s[start:s.off]
}

// zone reads Z, GMT, UTC, UT, an offset such as +02:00 or -0500, or both as in GMT+0100. Names of other
// zones are ambiguous, and an error.
func (s *scanner) zone(c *civil) bool {
	word := s.word()
	switch strings.ToUpper(word) {
	case "", "Z", "GMT", "UTC", "UT":
	default:
		return false
	}
	if !s.at('+') && !s.at('-') {
		return word != ""
	}
	west := s.at('-')
	s.off++
	var hours, minutes int
	if !s.offset(&hours, &minutes) || hours > 23 || minutes > 59 {
		return false
	}
	c.offset = time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
	if west {
		c.offset = -c.offset
	}
	return true
}

// offset reads hhmm or hh:mm.
func (s *scanner) offset(hours, minutes *int) bool {
	v, digits, err := s.digits(4)
	switch {
	case err != nil:
		return false
	case digits == 4:
		*hours, *minutes = int(v/100), int(v%100)
		return true
	}
	*hours = int(v)
	return digits == 2 && s.accept(':') && s.fixedDigits(2, minutes)
}

// httpDate reads the three forms of RFC 9110 §5.6.7, and the variants that servers send: another name or
// an offset instead of GMT, and the Date of JavaScript. It does not check that the weekday fits the date.
//
//	Sun, 06 Nov 1994 08:49:37 GMT
//	Sunday, 06-Nov-94 08:49:37 GMT
//	Sun Nov  6 08:49:37 1994
//	Sun Nov 06 1994 08:49:37 GMT+0000 (Coordinated Universal Time)
func (s *scanner) httpDate() (time.Time, error) {
	if !isWeekday(s.word()) || !s.accept(',') && !s.at(' ') || !s.accept(' ') {
		return time.Time{}, ErrTime
	}
	text := trim(s.s[s.off:])
	s.off = len(s.s)
	if text != "" && isAlpha(text[0]) { // a failed attempt allocates
		if t, err := time.Parse("Jan _2 15:04:05 2006", text); err == nil {
			return t, nil
		}
	}
	if i := strings.IndexByte(text, '('); i > 0 && strings.HasSuffix(text, ")") { // the name of a zone
		text = trim(text[:i])
	}
	i := strings.LastIndexByte(text, ' ')
	zone := scanner{s: text[i+1:]}
	var c civil
	if i < 0 || !zone.zone(&c) || !zone.eof() {
		return time.Time{}, ErrTime
	}
	for _, layout := range [...]string{"2 Jan 2006 15:04:05", "2-Jan-06 15:04:05", "2-Jan-2006 15:04:05", "Jan 2 2006 15:04:05"} {
		if t, err := time.Parse(layout, text[:i]); err == nil {
			return t.Add(-c.offset), nil
		}
	}
	return time.Time{}, ErrTime
}

func isWeekday(word string) bool {
	for _, name := range [...]string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"} {
		if strings.EqualFold(word, name[:3]) || strings.EqualFold(word, name) {
			return true
		}
	}
	return false
}
