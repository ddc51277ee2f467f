package ratelimittest

import "time"

// A span is the time interval [from, until). It has no end if until is zero.
type span struct{ from, until time.Time }

func (s span) has(now time.Time) bool {
	return !now.Before(s.from) && (s.until.IsZero() || now.Before(s.until))
}

// change returns when the span begins or ends next. A time that is not after now means neither.
func (s span) change(now time.Time) time.Time {
	if now.Before(s.from) {
		return s.from
	}
	return s.until
}
