package pacer

import "time"

const (
	firstPlaces = 16
	trickle     = 250 * time.Millisecond
	cutTo       = 0.7
	unlimited   = -1
)

// places bounds the requests in flight.
type places struct {
	busy       int64
	most       float64 // 0: not yet any answer; negative: unlimited
	advertised int64
	cut        bool    // a 503 has cut them: grow slowly
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

// answered takes in an answer that did not refuse.
func (c *places) answered(now Instant, paced bool) {
	c.last = now
	switch {
	case c.cut:
		c.most += 1 / c.most
	case paced:
		c.most = unlimited
	case c.most == 0:
		c.most = firstPlaces
	case c.most > 0:
		c.most++
	}
}

// overloaded cuts the places after a refusal of too many at once.
func (c *places) overloaded(now Instant) {
	n := float64(c.busy)
	if c.most > 0 {
		n = min(n, c.most)
	}
	c.most, c.cut = max(1, cutTo*n), true
}

func (c *places) advertise(in *Limit) {
	switch {
	case in.Quota > 0:
		c.advertised = in.Quota
	case in.Remaining >= 0:
		c.advertised = max(1, c.busy+in.Remaining)
	}
}
