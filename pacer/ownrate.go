package pacer

import (
	"math"
	"time"
)

// measuredOver is the period over which the client's own rate is averaged.
const measuredOver = time.Minute

// ownRate is the rate at which this client sends, as an exponential limiter would
// measure it: in units per period, an average that each request is taken into with
// its own rate, the weight of which is the less the closer requests follow each other.
// A burst so counts in full, and 63 % of all that was is forgotten in a period.
type ownRate float32

// sent takes in a request of that cost, the first after a time.
func (m *ownRate) sent(cost int64, after time.Duration) {
	fresh, each := weight(after)
	*m = ownRate(float64(*m)*(1-fresh) + each*float64(cost))
}

// perSecond is the rate after a time without requests.
func (m ownRate) perSecond(after time.Duration) float64 {
	fresh, _ := weight(after)
	return float64(m) * (1 - fresh) / measuredOver.Seconds()
}

// weight is that of what comes after a time, and what this makes of one unit.
func weight(after time.Duration) (fresh, each float64) {
	x := float64(max(after, 0)) * (1 / float64(measuredOver))
	if x < 1e-3 { // mostly, and much faster
		each = 1 - x/2
		return x * each, each
	}
	fresh = -math.Expm1(-x)
	return fresh, fresh / x
}
