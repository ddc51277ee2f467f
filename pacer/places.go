package pacer

import (
	"math"
	"time"

	"github.com/headway-go/headway/limits"
)

const (
	warmPlaces = 3                      // after a first answer that names no rate limit, and so many in each round trip for one: more floods, less is late
	trickle    = 250 * time.Millisecond // without any answer, one more may go: sooner floods, later stalls behind a long poll
	cutTrickle = 16 * trickle           // the same once refusals have cut the places: sooner is refused again
	placesGrow = 1.0 / 128              // of a place for each success after a cut: more is refused more often, less leaves places unused
)

// places bounds the requests in flight, whatever the reason: a cold start, an
// overloaded server, a limit on concurrency that it advertises. It is slow start and AIMD, as TCP's
// (RFC 5681), with successes for acknowledgements and 503s for losses.
//
// Say 9 requests are in flight, and two of them are refused with a 503. Then 7 places are left, and after
// 128 successes there are 8. If all are refused, 4 are left: one round of refusals cuts no deeper.
type places struct {
	busy       int64
	advertised int64   // 0: none
	most       float64 // 0: no answer yet; Unknown: as many as the pace allows
	least      uint32  // half of those in flight when a round of refusals began: one round cuts no deeper
	unsaid     uint8   // successes in a row that do not tell of the advertised limit
	cut        bool    // refusals have cut them: they grow slowly from then on
	guess      bool    // that the places were the reason, as no 503 said so
	last       Instant // last request or answer
}

// isFree reports whether a place is free for one more request, which is to be alone or not.
func (c *places) isFree(alone bool) bool {
	most := c.most
	if alone || most == 0 {
		most = 1
	}
	return (c.advertised <= 0 || c.busy < c.advertised) && (most < 0 || float64(c.busy+1) <= most)
}

// next is when one more may go although no place is free. Nothing ever waits for
// another request's answer alone (it could be a long poll, or wait for this
// very request), except at a limit that the server advertises: then it is Never
// until one ends.
func (c *places) next() Instant {
	switch {
	case c.advertised > 0 && c.busy >= c.advertised:
		return Never
	case c.cut:
		return c.last.Add(cutTrickle)
	}
	return c.last.Add(trickle)
}

// bound is how many may be in flight; Unknown if that is not bounded.
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

// succeeded takes in an answer that does not refuse; paced: a rate limit is known.
func (c *places) succeeded(paced bool) {
	switch {
	case c.guess && float64(c.busy) < math.Floor(c.most):
		// It is not the places that keep requests back.
	case c.cut:
		c.most += placesGrow
	case paced:
		c.most = Unknown
	case c.most <= 0: // nothing is told, or nothing any more
		c.most = warmPlaces
	default:
		c.most += warmPlaces - 1
	}
}

// overloaded takes in a refusal of too many at once. Whoever was alone was refused for another reason.
func (c *places) overloaded(beside int64, newRound bool) {
	if beside > 0 || c.busy > 1 {
		c.guess = false
		c.shrink(beside, newRound)
	}
}

// suspected takes in a refusal that says nothing of its reason, as the 429s of many who
// mean too many at once. It cuts the places as a 503 does, while the pace is being found
// by trial all the same. Refused again when one more was tried, it reports that they are
// the reason: then the pace is left as it is. Refused alone, they are not, and the places
// are free again.
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

// shrink cuts the places to those that were in flight beside a refused request when it was sent,
// and still are.
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

// advertise takes in a limit on concurrent requests.
func (c *places) advertise(in *limits.Told) {
	c.unsaid = 0
	switch {
	case in.Quota > 0:
		c.advertised = in.Quota
	case in.Remaining >= 0:
		c.advertised = max(1, in.Remaining, c.busy+in.Remaining) // the sum may wrap round
	}
}

// unadvertised takes in a success that tells of no limit on concurrent requests.
// Other routes may have none, and answer many requests while one is under way. But
// after some hundred in a row the limit is over.
func (c *places) unadvertised() {
	if c.unsaid == math.MaxUint8 {
		c.advertised = 0
		return
	}
	c.unsaid++
}
