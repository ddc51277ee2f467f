package pacer

import "time"

const (
	firstPlaces = 16
	trickle     = 250 * time.Millisecond
)

// places bounds the requests in flight.
type places struct {
	busy       int64
	most       float64 // 0: not yet any answer; negative: unlimited
	advertised int64
	last       Instant // last send or answer
}

func (c *places) next(now Instant, seq uint64, alone bool) Instant {
	most := c.most
	if most == 0 {
		most = 1
	}
	if c.advertised > 0 && (most < 0 || float64(c.advertised) < most) {
		most = float64(c.advertised)
	}
	if alone {
		most = 1
	}
	if most < 0 || float64(c.busy) < most {
		return 0
	}
	return c.last.Add(trickle)
}

func (c *places) sent(now Instant) { c.busy++; c.last = now }
func (c *places) released()        { c.busy-- }

func (c *places) answered(now Instant, paced bool, a Answer) {
	c.last = now
	switch {
	case a.Overloaded:
		n := float64(c.busy)
		if c.most > 0 {
			n = min(n, c.most)
		}
		c.most = max(1, 0.7*n)
	case c.most > 0 && c.most < firstPlaces, c.most > 0 && !paced:
		c.most += 1
	case paced:
		c.most = -1
	case c.most == 0:
		c.most = firstPlaces
	}
}

func (c *places) advertise(in *Limit) {
	switch {
	case in.Quota > 0:
		c.advertised = in.Quota
	case in.Remaining >= 0:
		c.advertised = max(1, c.busy+in.Remaining)
	}
}
