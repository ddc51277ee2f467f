package headway

import (
	"cmp"
	"context"
	"time"

	"github.com/headway-go/headway/pacer"
)

// This file is the only one that reads the clock or sleeps.

// A clock counts time from an origin of its own. Only the monotonic reading
// enters, so that setting the machine's clock moves no request.
type clock struct {
	origin time.Time
}

// newClock returns a clock whose origin lies before all that a snapshot can tell.
func newClock() clock { return clock{origin: time.Now().Add(-2 * maxSnapshotAge)} }

// wallTime is now for those who have no clock.
func wallTime() time.Time { return time.Now() }

func (c *clock) now() pacer.Instant { return pacer.Instant(time.Since(c.origin)) }

// read returns the same moment in both forms.
func (c *clock) read() (pacer.Instant, time.Time) {
	at := time.Now()
	return c.instant(at), at
}

func (c *clock) instant(at time.Time) pacer.Instant { return pacer.Instant(at.Sub(c.origin)) }

// until returns when a deadline comes by the time that is left to it now: one
// without a monotonic reading may have been set since on another wall clock.
func (c *clock) until(deadline time.Time) pacer.Instant { return c.now().Add(time.Until(deadline)) }

// time returns at as the wall clock now has it.
func (c *clock) time(at pacer.Instant) time.Time { return time.Now().Add(at.Sub(c.now())) }

// timeOrZero is time, or zero for an Instant that says nothing.
func (c *clock) timeOrZero(at pacer.Instant) time.Time {
	if at <= 0 {
		return time.Time{}
	}
	return c.time(at)
}

// told is the Instant of a time that a Fleet tells; 0 for the zero time.
func (c *clock) told(at time.Time) pacer.Instant {
	if at.IsZero() {
		return 0
	}
	return c.instant(at)
}

// wait returns once w was granted or refused (see waiter), or else the cause
// of the context's end, after which w is neither queued nor granted.
func (w *waiter) wait(ctx context.Context, p *partition) error {
	ended := false
	select {
	case <-w.decided:
		ended = ctx.Err() != nil
	case <-ctx.Done():
		ended = true // whatever Err says: contexts made by hand may be late to say it
	}
	if ended && p.leave(w) {
		return cmp.Or(context.Cause(ctx), context.Canceled)
	}
	if w.granted {
		p.passOn(w)
	}
	return nil
}

// pause sleeps for d, or returns the cause of the context's end.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// after calls f once, on a goroutine of its own, when d has passed.
func after(d time.Duration, f func()) *time.Timer { return time.AfterFunc(d, f) }
