package parse

import (
	"strings"
	"time"
)

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
