package refusal

import (
	"math"

	"github.com/headway-go/headway/pacer/internal/codec"
)

const (
	warmPlaces  = 3       // places after the first response without a rate limit, and the factor for each round trip. More: floods. Less: late
	cutTrickle  = 4.0     // seconds without any request or response after which one more request may go when 503s have cut the places. Shorter: more refusals. Longer: stalls
	placesStand = 20.0    // seconds for which cut places stay. Less: refusals. More: recovers late
	mostPlaces  = 1 << 20 // more are no bound. Less: bounds a client that needs so many. More: no difference
)

// AnswerWait is for how many seconds a request waits for the response to another one that finds something out. Shorter:
// floods. Longer: stalls behind a long poll.
const AnswerWait = 0.25

// Places bounds the requests in flight.
type Places struct {
	Busy       int64
	Advertised int64   // the reported limit; 0: none
	most       float64 // 0: no response yet; negative: the pace alone decides
	cutAt      float64 // when they were cut, moved by the time in which they were not needed; 0: never
	idleAt     float64 // since when a cut place is free; 0: none is
	least      uint32  // half of the requests in flight when a round of refusals began, which the round leaves
	unreported uint8   // successes in a row that do not report the limit on concurrency
	last       float64 // last request or response
}

// now returns how many may be in flight now; negative: any number.
func (c *Places) now(now float64) float64 {
	most := c.most
	switch {
	case most == 0:
		return 1
	case most > 0 && c.cutAt > 0:
		at := now
		if c.idleAt > 0 {
			at = c.idleAt
		}
		most *= grown(at-c.cutAt, placesStand)
	}
	return most
}

// Restart begins a slow start, after a refusal by a server that reports no rate. Cut places stay.
func (c *Places) Restart() {
	if c.cutAt == 0 {
		c.most = 1
	}
}

// IsAlone reports whether one request alone may be in flight, at the beginning of a slow start.
func (c *Places) IsAlone() bool { return c.cutAt == 0 && (c.most == 0 || c.most == 1) }

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
	case c.cutAt > 0:
		return c.last + cutTrickle
	}
	return c.last + AnswerWait
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
	c.last = now
	if c.cutAt > 0 && c.idleAt > 0 && float64(c.Busy+1) > c.now(now) {
		c.cutAt += max(now-c.idleAt, 0)
		c.idleAt = 0
	}
}

// Released frees a place.
func (c *Places) Released(now float64) {
	c.Busy = max(0, c.Busy-1)
	if c.cutAt > 0 && c.idleAt == 0 {
		c.idleAt = now
	}
}

// Answered notes a response.
func (c *Places) Answered(now float64) { c.last = now }

// Succeeded counts a response that does not refuse. isPaced: the server reports a rate. isNew: its request was sent after
// the last refusal.
func (c *Places) Succeeded(now float64, isPaced, isNew bool) {
	switch {
	case c.cutAt > 0:
		if c.now(now) > mostPlaces {
			c.most, c.cutAt, c.idleAt = -1, 0, 0
		}
	case isPaced:
		c.most = -1
	case isNew:
		c.most = min(max(c.most, 1)+warmPlaces-1, mostPlaces)
	}
}

// Overloaded cuts the places after a 503 to the requests that were in flight beside its request, and still are. If the
// request was alone, the number in flight was not the reason. isFirst: it is the first refusal of a round.
func (c *Places) Overloaded(now float64, beside int64, isFirst bool) {
	if beside == 0 && c.Busy <= 1 {
		return
	}
	if isFirst {
		c.least = uint32(min(c.Busy/2, math.MaxUint32))
	}
	n := float64(max(1, int64(c.least), min(beside, c.Busy-1)))
	if most := c.now(now); most > 0 {
		n = min(n, math.Floor(most))
	}
	c.most, c.cutAt, c.idleAt = max(n, 1), now, 0
}

// Advertise takes over a reported limit on concurrent requests.
func (c *Places) Advertise(quota, remaining int64) {
	c.unreported = 0
	switch {
	case quota > 0:
		c.Advertised = quota
	case remaining >= 0:
		c.Advertised = max(1, remaining, c.Busy+remaining) // the sum may overflow
	}
}

// Unadvertised counts a success that reports no limit on concurrent requests.
func (c *Places) Unadvertised() {
	if c.unreported == math.MaxUint8 {
		c.Advertised = 0
		return
	}
	c.unreported++
}

// Serialize writes or reads the places, without the requests in flight.
func (c *Places) Serialize(k *codec.Codec) {
	codec.Number(k, &c.most, -1, mostPlaces)
	c.most = math.Ceil(c.most)
	codec.Count(k, &c.Advertised, 0, math.MaxInt64)
	isCut := c.cutAt > 0
	if k.Flag(&isCut); isCut {
		if c.idleAt > 0 {
			c.cutAt += k.Taken - c.idleAt
		}
		k.Time(&c.cutAt, k.Taken)
		c.idleAt = k.Taken
	}
	c.last = k.Now
}
