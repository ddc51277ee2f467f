package ratelimittest

import "time"

// A span is a time in a run in which something is different. Its end does not
// belong to it, and is zero if it has none.
type span struct{ from, until time.Time }

func (s span) has(now time.Time) bool {
	return !now.Before(s.from) && (s.until.IsZero() || now.Before(s.until))
}

// change returns when it begins or ends next; not after now: neither.
func (s span) change(now time.Time) time.Time {
	if now.Before(s.from) {
		return s.from
	}
	return s.until
}
