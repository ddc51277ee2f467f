package ratelimittest

import (
	"context"
	"time"
)

// The package's only looks at the clock. Inside a testing/synctest bubble it is
// the bubble's.

func clock() time.Time {
	return time.Now() //nolint:forbidigo // a server has a clock
}

// sleep returns when d has passed, or with the reason why ctx was done first.
func sleep(ctx context.Context, d time.Duration) error {
	if err := context.Cause(ctx); err != nil || d <= 0 {
		return err
	}
	timer := time.NewTimer(d) //nolint:forbidigo // latency is real waiting
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// await returns when d has passed, unless it is negative, when there is news, or
// when ctx is done. It tells whether d has passed.
func await(ctx context.Context, d time.Duration, news <-chan struct{}) bool {
	var due <-chan time.Time
	if d >= 0 {
		timer := time.NewTimer(d) //nolint:forbidigo // latency is real waiting
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-due:
		return true
	case <-news:
	case <-ctx.Done():
	}
	return false
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
