package parse

import (
	"strings"
	"time"
)

// httpDate reads the three forms of RFC 9110 §5.6.7, and the variants that servers send: another name or
// an offset instead of GMT, and the Date of JavaScript. It does not check that the weekday fits the date.
//
//	Sun, 06 Nov 1994 08:49:37 GMT
//	Sunday, 06-Nov-94 08:49:37 GMT
//	Sun Nov  6 08:49:37 1994
//	Sun Nov 06 1994 08:49:37 GMT+0000 (Coordinated Universal Time)
func (s *scanner) httpDate() (time.Time, error) {
	var c civil
	if !isWeekday(s.word()) {
		return time.Time{}, ErrTime
	}
	ok := false
	if s.accept(',') {
		ok = s.accept(' ') && s.dayFirst(&c)
	} else {
		ok = s.accept(' ') && s.monthFirst(&c)
	}
	if !ok {
		return time.Time{}, ErrTime
	}
	return c.time()
}

// dayFirst reads an IMF-fixdate or an RFC 850 date after the weekday.
func (s *scanner) dayFirst(c *civil) bool {
	if !s.dayOfMonth(c) {
		return false
	}
	between := byte(' ')
	if s.at('-') {
		between = '-'
	}
	return s.accept(between) && s.month(c) && s.accept(between) && s.year(c, between) &&
		s.accept(' ') && s.fullTimeOfDay(c) && s.accept(' ') && s.zone(c)
}

// monthFirst reads an asctime or JavaScript date after the weekday.
func (s *scanner) monthFirst(c *civil) bool {
	if !s.month(c) || !s.accept(' ') {
		return false
	}
	s.accept(' ')
	if !s.dayOfMonth(c) || !s.accept(' ') {
		return false
	}
	if strings.HasPrefix(s.s[min(s.off+2, len(s.s)):], ":") {
		return s.fullTimeOfDay(c) && s.accept(' ') && s.fixedDigits(4, &c.year)
	}
	return s.fixedDigits(4, &c.year) && s.accept(' ') && s.fullTimeOfDay(c) && s.accept(' ') && s.zone(c) && s.comment()
}

// comment skips the name of a zone in parentheses.
func (s *scanner) comment() bool {
	s.skipOWS()
	return !s.accept('(') || s.skipPast(')')
}

func (s *scanner) fullTimeOfDay(c *civil) bool {
	seconds, ok := s.timeOfDay(c)
	return ok && seconds
}

func (s *scanner) dayOfMonth(c *civil) bool {
	v, _, err := s.digits(2)
	c.day = int(v)
	return err == nil
}

func (s *scanner) month(c *civil) bool {
	const names = "janfebmaraprmayjunjulaugsepoctnovdec"
	word := s.word()
	if len(word) != 3 {
		return false
	}
	for i := 0; i < len(names); i += 3 {
		if strings.EqualFold(word, names[i:i+3]) {
			c.month = i/3 + 1
			return true
		}
	}
	return false
}

// year reads four digits, or the two digits of RFC 850. RFC 850 years may be at most 50 years ahead,
// which needs a clock to check. As in Go's time package, 69 means 1969 and 68 means 2068 instead.
func (s *scanner) year(c *civil, between byte) bool {
	v, digits, err := s.digits(4)
	c.year = int(v)
	switch {
	case err != nil:
		return false
	case digits == 4:
		return true
	case v >= 69:
		c.year += 1900
	default:
		c.year += 2000
	}
	return digits == 2 && between == '-'
}

func isWeekday(word string) bool {
	for _, name := range [...]string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"} {
		if strings.EqualFold(word, name[:3]) || strings.EqualFold(word, name) {
			return true
		}
	}
	return false
}
