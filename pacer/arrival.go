package pacer

import "time"

// An arrival is the generic cell rate algorithm (GCRA, ITU-T I.371) of one limit: it spaces
// requests by the emission interval, and lets one that is late be followed sooner, up to the
// burst tolerance.
//
// Say the interval is 0.6 s and the burst tolerance ten of them, 6 s. After a minute
// without requests ten go at once, the next 0.6 s later, and so on. Slots are moved by up to
// a tenth of an interval, so that clients of one quota do not march in step.
//
// The theoretical arrival time of the next request is worked out anew for each plan, one interval of
// now after that of the last, so that a pace that changes counts from the next request on.
type arrival struct {
	line Instant // the theoretical arrival time of the last request, not before now less the tolerance
	owed float32 // what that cost: so many intervals until the next
}

// next is the theoretical arrival time of the next request at that interval, which is multiplied by
// jitter. It is at most longest after that of the last, and no jitter makes it sooner then: a quota of
// one unit needs a whole window.
func (c *arrival) next(interval, longest time.Duration, jitter float64) Instant {
	step := interval
	if c.owed != 1 { // as it mostly is
		step = scale(step, float64(c.owed))
	}
	if step < longest {
		step = scale(step, jitter)
	}
	return c.line.Add(min(step, longest))
}

// take records that a request of that cost is sent now, whose theoretical arrival time is next. It
// could not have gone before it opened: to wait is not to idle.
func (c *arrival) take(now, opened, next Instant, tolerance time.Duration, cost int64) {
	c.line = max(next, now.Add(-tolerance), min(opened, now))
	c.owed = float32(cost)
}

// refund takes back what a request cost: the next may go in its slot. If what the last one cost is taken back
// already, that is so many intervals, but not after a hold, whose end the slot is.
func (c *arrival) refund(now Instant, cost int64, interval time.Duration) {
	switch {
	case c.owed > 0:
		c.owed -= min(float32(cost), c.owed)
	case c.line <= now:
		c.line = c.line.Add(-scale(interval, float64(cost)))
	}
}

// grant lets requests go from now on as if the client had been idle for so long.
func (c *arrival) grant(now Instant, idle time.Duration) {
	c.line, c.owed = now.Add(-idle), 0
}
