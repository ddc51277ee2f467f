package clock

import (
	"context"
	"time"
)

// Pause sleeps for d, not at all if that is 0 or less. It returns the cause of the
// context's end if that comes first.
func Pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// After calls f once, on a goroutine of its own, when d has passed, unless the timer
// that it returns is stopped before.
func After(d time.Duration, f func()) *time.Timer { return time.AfterFunc(d, f) }
