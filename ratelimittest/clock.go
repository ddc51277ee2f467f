package ratelimittest

import "time"

// clock reads the time. Inside a testing/synctest bubble that is the bubble's.
func clock() time.Time {
	return time.Now() //nolint:forbidigo // a server has a clock
}
