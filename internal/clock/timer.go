package clock

import "time"

// After calls f on its own goroutine after d, unless the returned timer is stopped before.
func After(d time.Duration, f func()) *time.Timer { return time.AfterFunc(d, f) }

// NewTimer returns a timer that sends on its channel after d.
func NewTimer(d time.Duration) *time.Timer { return time.NewTimer(d) }
