package pacer

import "time"

// An arrival is the generic cell rate algorithm (GCRA, ITU-T I.371) of one limit. It spaces requests by the
// emission interval. A client that falls behind may catch up at once, up to the burst tolerance.
//
// An example: with an interval of 0.6 s and a burst tolerance of 6 s, eleven requests go at once after an idle
// minute, and the next 0.6 s later. Jitter moves each slot by up to a tenth of an interval, so that the
// clients of a quota do not send in step.
//
// The theoretical arrival time of the next request is one current interval after the last one's. Each plan
// computes it again, so a new pace takes effect at once.
type arrival struct {
	line Instant // theoretical arrival time of the last request, not before now minus the tolerance
	owed float32 // cost of the last request: so many intervals until the next
}

// next returns the theoretical arrival time of the next request. The interval is multiplied by jitter. The
// result is at most longest after the last one's, and jitter does not shorten that: a quota of one unit needs
// a whole window.
func (c *arrival) next(interval, longest time.Duration, jitter float64) Instant {
	step := interval
	if c.owed != 1 { // 1 is the usual case
		step = scale(step, float64(c.owed))
	}
	if step < longest {
		step = scale(step, jitter)
	}
	return c.line.Add(min(step, longest))
}

// take records a request of that cost that is sent now, with the theoretical arrival time next. Time before
// opened does not count as idle: the client had to wait.
func (c *arrival) take(now, opened, next Instant, tolerance time.Duration, cost int64) {
	c.line = max(next, now.Add(-tolerance), min(opened, now))
	c.owed = float32(cost)
}

// refund takes back a request's cost, so that the next request may use its slot. If the last request's cost
// is already taken back, the line moves back by so many intervals. After a hold it stays, because the slot is
// the hold's end.
func (c *arrival) refund(now Instant, cost int64, interval time.Duration) {
	switch {
	case c.owed > 0:
		c.owed -= min(float32(cost), c.owed)
	case c.line <= now:
		c.line = c.line.Add(-scale(interval, float64(cost)))
	}
}

// grant allows requests from now on as if the client had been idle for so long.
func (c *arrival) grant(now Instant, idle time.Duration) {
	c.line, c.owed = now.Add(-idle), 0
}
