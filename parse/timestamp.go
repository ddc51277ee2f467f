package parse

import "time"

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
