package clock

import "time"

// After calls f once, on a goroutine of its own, when d has passed, unless the timer
// that it returns is stopped before.
func After(d time.Duration, f func()) *time.Timer { return time.AfterFunc(d, f) }
