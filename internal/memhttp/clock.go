package memhttp

import (
	"context"
	"time"
)

// The package reads the time and waits by the functions of this file. Inside a testing/synctest bubble they use the
// bubble's clock.

func clock() time.Time {
	return time.Now() //nolint:forbidigo // a server has a clock
}

// Sleep returns nil after d, or the cause of ctx's end if that comes first.
func Sleep(ctx context.Context, d time.Duration) error {
	if err := context.Cause(ctx); err != nil || d <= 0 {
		return err
	}
	if await(ctx, d, nil) {
		return nil
	}
	return context.Cause(ctx)
}

// await waits for the first of three events: d has passed, changed has a value, or ctx is done. It returns
// whether d has passed. A negative d never passes.
func await(ctx context.Context, d time.Duration, changed <-chan struct{}) bool {
	var due <-chan time.Time
	if d >= 0 {
		timer := time.NewTimer(d) //nolint:forbidigo // latency is real waiting
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-due:
		return true
	case <-changed:
	case <-ctx.Done():
	}
	return false
}
