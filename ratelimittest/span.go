package ratelimittest

import "time"

// A span is a time in a run in which something is different. Its end does not
// belong to it, and is zero if it has none.
type span struct{ from, until time.Time }

func (s span) has(now time.Time) bool {
	return !now.Before(s.from) && (s.until.IsZero() || now.Before(s.until))
}
