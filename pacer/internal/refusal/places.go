package refusal

import "math"

const (
	cutTrickle  = 4.0     // seconds without any request or response after which one more request may go when 503s have cut the places. Shorter: more refusals. Longer: stalls
	placesStand = 20.0    // seconds for which cut places stay. Less: refusals. More: recovers late
	mostPlaces  = 1 << 20 // more are no bound. Less: bounds a client that needs so many. More: no difference
)

// AnswerWait is for how many seconds a request waits for the response to another one that finds something out. Shorter:
// floods. Longer: stalls behind a long poll.
const AnswerWait = 0.25

// Places bounds the requests in flight.
type Places struct {
	Busy       int64   // in flight
	Advertised int64   // the reported limit; 0: none
	Most       float64 // 0: no response yet; negative: the pace alone decides
	CutAt      float64 // when they were cut, moved by the time in which they were not needed; 0: never
	IdleAt     float64 // since when a cut place is free; 0: none is
	Least      uint32  // half of the requests in flight when a round of refusals began, which the round leaves
	Unreported uint8   // successes in a row that do not report the limit on concurrency
	Last       float64 // last request or response
}

// now returns how many may be in flight now; negative: any number.
func (c *Places) now(now float64) float64 {
	most := c.Most
	switch {
	case most == 0:
		return 1
	case most > 0 && c.CutAt > 0:
		at := now
		if c.IdleAt > 0 {
			at = c.IdleAt
		}
		most *= grown(at-c.CutAt, placesStand)
	}
	return most
}

// Restart begins a slow start, after a refusal by a server that reports no rate. Cut places stay.
func (c *Places) Restart() {
	if c.CutAt == 0 {
		c.Most = 1
	}
}

// IsAlone reports whether one request alone may be in flight, at the beginning of a slow start.
func (c *Places) IsAlone() bool { return c.CutAt == 0 && (c.Most == 0 || c.Most == 1) }

// IsFree reports whether a place is free for one more request.
func (c *Places) IsFree(now float64) bool {
	if c.Advertised > 0 && c.Busy >= c.Advertised {
		return false
	}
	most := c.now(now)
	return most < 0 || float64(c.Busy+1) <= most
}

// Next returns when one more request may go without a free place; infinite: only when one ends.
func (c *Places) Next() float64 {
	switch {
	case c.Advertised > 0 && c.Busy >= c.Advertised:
		return math.Inf(1)
	case c.CutAt > 0:
		return c.Last + cutTrickle
	}
	return c.Last + AnswerWait
}

// Bound returns how many requests may be in flight; negative: no bound.
func (c *Places) Bound(now float64) int64 {
	if c.Advertised > 0 {
		return c.Advertised
	}
	return int64(math.Floor(min(c.now(now), mostPlaces)))
}

// Sent takes a place.
func (c *Places) Sent(now float64) {
	c.Busy++
	c.Last = now
	if c.CutAt > 0 && c.IdleAt > 0 && float64(c.Busy+1) > c.now(now) {
		c.CutAt += max(now-c.IdleAt, 0)
		c.IdleAt = 0
	}
}

// Released frees a place.
func (c *Places) Released(now float64) {
	c.Busy = max(0, c.Busy-1)
	if c.CutAt > 0 && c.IdleAt == 0 {
		c.IdleAt = now
	}
}

// Answered notes a response.
func (c *Places) Answered(now float64) { c.Last = now }

// Succeeded counts a response that does not refuse. isPaced: the server reports a rate. isNew: its request was sent after
// the last refusal.
func (c *Places) Succeeded(now float64, isPaced, isNew bool) {
	switch {
	case c.CutAt > 0:
		if c.now(now) > mostPlaces {
			c.Most, c.CutAt, c.IdleAt = -1, 0, 0
		}
	case isPaced:
		c.Most = -1
	case isNew:
		c.Most = min(max(c.Most, 1)+2, mostPlaces)
	}
}

// Overloaded cuts the places after a 503 to the requests that were in flight beside its request, and still are. If the
// request was alone, the number in flight was not the reason. isFirst: it is the first refusal of a round.
func (c *Places) Overloaded(now float64, beside int64, isFirst bool) {
	if beside == 0 && c.Busy <= 1 {
		return
	}
	if isFirst {
		c.Least = uint32(min(c.Busy/2, math.MaxUint32))
	}
	n := float64(max(1, int64(c.Least), min(beside, c.Busy-1)))
	if most := c.now(now); most > 0 {
		n = min(n, math.Floor(most))
	}
	c.Most, c.CutAt, c.IdleAt = max(n, 1), now, 0
}

// Advertise takes over a reported limit on concurrent requests.
func (c *Places) Advertise(quota, remaining int64) {
	c.Unreported = 0
	switch {
	case quota > 0:
		c.Advertised = quota
	case remaining >= 0:
		c.Advertised = max(1, remaining, c.Busy+remaining) // the sum may overflow
	}
}

// Unadvertised counts a success that reports no limit on concurrent requests.
func (c *Places) Unadvertised() {
	if c.Unreported++; c.Unreported == 0 { // 256 in a row
		c.Advertised = 0
	}
}
