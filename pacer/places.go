package pacer

import (
	"math"
	"time"

	"github.com/headway-go/headway/limits"
)

const (
	warmPlaces = 3                      // places after the first response without a rate limit, and the factor for each round trip. More: floods. Less: late
	trickle    = 250 * time.Millisecond // time without any request or response after which one more request may go. Shorter: floods. Longer: stalls behind a long poll
	cutTrickle = 16 * trickle           // the same after refusals have cut the places. Shorter: more refusals
	placesGrow = 1.0 / 128              // places added by each success after a cut. More: more refusals. Less: places stay unused
)

// places bounds the requests in flight, for a new server, an overloaded server, or a reported limit on
// concurrency. It uses slow start and AIMD, as TCP does (RFC 5681). Successes take the place of
// acknowledgements, and 503s of losses.
//
// An example: of 9 requests in flight, two are refused with a 503. Then 7 places are left, and 8 after 128
// successes. If all 9 are refused, 4 places are left: a round of refusals leaves at least half, rounded down.
type places struct {
	busy       int64
	advertised int64   // the reported limit; 0: none
	most       float64 // 0: no response yet; Unknown: the pace alone decides
	least      uint32  // half of the requests in flight when a round of refusals began, which the round leaves
	unsaid     uint8   // successes in a row that do not report the limit on concurrency
	cut        bool    // after a cut by refusals places grow slowly
	guess      bool    // the cut is a guess, because no 503 asked for it
	last       Instant // last request or response
}

// isFree reports whether a place is free for one more request. alone: only without other requests in flight.
func (c *places) isFree(alone bool) bool {
	most := c.most
	if alone || most == 0 {
		most = 1
	}
	return (c.advertised <= 0 || c.busy < c.advertised) && (most < 0 || float64(c.busy+1) <= most)
}

// next returns when one more request may go without a free place. The requests in flight may be long polls, or
// their ends may depend on the next request, so headway does not wait for them for ever. Only a reported limit is
// never exceeded: there next is Never until a request ends.
func (c *places) next() Instant {
	switch {
	case c.advertised > 0 && c.busy >= c.advertised:
		return Never
	case c.cut:
		return c.last.Add(cutTrickle)
	}
	return c.last.Add(trickle)
}

// bound returns how many requests may be in flight; Unknown: no bound.
func (c *places) bound() int64 {
	switch {
	case c.advertised > 0:
		return c.advertised
	case c.most == 0:
		return 1
	case c.most < 0:
		return Unknown
	}
	return int64(math.Floor(c.most))
}

func (c *places) sent(now Instant) {
	c.busy++
	c.last = now
}

func (c *places) released() { c.busy = max(0, c.busy-1) }

// succeeded counts a response that does not refuse; paced: a rate limit is known.
func (c *places) succeeded(paced bool) {
	switch {
	case c.guess && float64(c.busy) < math.Floor(c.most):
		// The places are not the bottleneck.
	case c.cut:
		c.most += placesGrow
	case paced:
		c.most = Unknown
	case c.most <= 0: // no limit is reported, or no longer
		c.most = warmPlaces
	default:
		c.most += warmPlaces - 1
	}
}

// overloaded handles a 503. If the request was alone, the number in flight was not the reason.
func (c *places) overloaded(beside int64, newRound bool) {
	if beside > 0 || c.busy > 1 {
		c.guess = false
		c.shrink(beside, newRound)
	}
}

// suspected handles a refusal without a reason, such as a bare 429, which may mean too many requests at once.
// It cuts the places as a 503 does, while the trial also goes on. If the server refuses again when one more
// place is tried, the number in flight is the reason: suspected reports that, and the pace does not change.
// If a request is refused alone, the number is not the reason, and the cut is undone.
func (c *places) suspected(beside int64, newRound bool) (explained bool) {
	n := min(beside, c.busy-1)
	switch {
	case n <= 0:
		if c.guess && newRound {
			c.most, c.cut, c.guess = Unknown, false, false
		}
		return false
	case c.guess && newRound && float64(n) >= math.Floor(c.most)-1:
		explained = true
	}
	c.guess = c.guess || !c.cut
	c.shrink(beside, newRound)
	return explained
}

// shrink cuts the places to the requests that were in flight beside a refused request, and still are.
func (c *places) shrink(beside int64, newRound bool) {
	if newRound {
		c.least = uint32(min(c.busy/2, math.MaxUint32))
	}
	n := float64(max(1, int64(c.least), min(beside, c.busy-1)))
	if c.most > 0 {
		n = min(n, math.Floor(c.most))
	}
	c.most, c.cut = n, true
}

// advertise takes over a reported limit on concurrent requests.
func (c *places) advertise(in *limits.Told) {
	c.unsaid = 0
	switch {
	case in.Quota > 0:
		c.advertised = in.Quota
	case in.Remaining >= 0:
		c.advertised = max(1, in.Remaining, c.busy+in.Remaining) // the sum may overflow
	}
}

// unadvertised counts a success that reports no limit on concurrent requests. Other routes may have no such
// limit, and get many responses while one request is in flight. So the limit is forgotten only after 256 such
// responses in a row.
func (c *places) unadvertised() {
	if c.unsaid == math.MaxUint8 {
		c.advertised = 0
		return
	}
	c.unsaid++
}
