// Package clock is the only one that reads the clock or makes timers. All others are told
// what time it is. Nothing sleeps: who waits is woken.
package clock

import (
	"time"

	"github.com/headway-go/headway/pacer"
)

// reach is how far back a clock can tell: further than whatever a snapshot knows.
const reach = 48 * time.Hour

// A Clock counts time from an origin of its own. Only the monotonic reading
// enters, so that setting the machine's clock moves no request. The zero value counts
// from nowhere: only New makes clocks. It never changes, and may be copied and used
// concurrently.
type Clock struct {
	origin time.Time
}

// New returns a clock whose origin lies 48 hours back, before all that a snapshot can
// tell. So its Instants are more than 0.
func New() Clock { return Clock{origin: time.Now().Add(-reach)} }

// Now returns the present moment.
func (c Clock) Now() pacer.Instant { return pacer.Instant(time.Since(c.origin)) }

// Read returns the present moment in both forms.
func (c Clock) Read() (pacer.Instant, time.Time) {
	at := time.Now()
	return c.Instant(at), at
}

// Instant returns the Instant of a time. It may be 0 or less for one before the clock's
// origin.
func (c Clock) Instant(at time.Time) pacer.Instant { return pacer.Instant(at.Sub(c.origin)) }

// Until returns when a deadline comes by the time that is left to it now: one
// without a monotonic reading may have been set since on another wall clock.
func (c Clock) Until(deadline time.Time) pacer.Instant { return c.Now().Add(time.Until(deadline)) }

// Time returns at as the wall clock now has it.
func (c Clock) Time(at pacer.Instant) time.Time { return time.Now().Add(at.Sub(c.Now())) }

// TimeOrZero is Time, or the zero time for an Instant that says nothing: 0 or less.
func (c Clock) TimeOrZero(at pacer.Instant) time.Time {
	if at <= 0 {
		return time.Time{}
	}
	return c.Time(at)
}

// Told is the Instant of a time that somebody tells, 0 for the zero time.
func (c Clock) Told(at time.Time) pacer.Instant {
	if at.IsZero() {
		return 0
	}
	return c.Instant(at)
}

// Wall returns the present time for those who have no Clock.
func Wall() time.Time { return time.Now() }
