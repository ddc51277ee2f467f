// Package clock reads the time and makes timers. No other package does: they get the time as a parameter. Nothing sleeps;
// waiters are woken by timers.
package clock

import (
	"time"

	"github.com/headway-go/headway/pacer"
)

// reach is how far back Instants reach: further than anything in a snapshot.
const reach = 48 * time.Hour

// A Clock converts times to Instants, which count from its origin. It uses the monotonic clock only, so setting the
// machine's clock moves no request. New makes Clocks; the zero value is not usable. A Clock never changes, and may be
// copied and used concurrently.
type Clock struct {
	origin time.Time
}

// New returns a Clock whose origin lies 48 hours back, so that all Instants of a snapshot are above 0.
func New() Clock { return Clock{origin: time.Now().Add(-reach)} }

// Now returns the present moment.
func (c Clock) Now() pacer.Instant { return pacer.Instant(time.Since(c.origin)) }

// Read returns the present moment as an Instant and as a time.
func (c Clock) Read() (pacer.Instant, time.Time) {
	at := time.Now()
	return c.Instant(at), at
}

// Instant returns the Instant of a time. It is 0 or less for a time before the origin.
func (c Clock) Instant(at time.Time) pacer.Instant { return pacer.Instant(at.Sub(c.origin)) }

// Until returns the Instant of a deadline. It adds the time that is left to the present moment, as a deadline without a
// monotonic reading may have been made before the machine's clock was set.
func (c Clock) Until(deadline time.Time) pacer.Instant { return c.Now().Add(time.Until(deadline)) }

// Time returns the time of an Instant, by the machine's clock as it is set now.
func (c Clock) Time(at pacer.Instant) time.Time { return time.Now().Add(at.Sub(c.Now())) }

// TimeOrZero returns Time(at), or the zero time if at is 0 or less.
func (c Clock) TimeOrZero(at pacer.Instant) time.Time {
	if at <= 0 {
		return time.Time{}
	}
	return c.Time(at)
}

// Wall returns the present time, for callers without a Clock.
func Wall() time.Time { return time.Now() }
