package pacer

import (
	"math"
	"time"
)

// measuredOver is the period over which the client's own rate is averaged: longer is steadier,
// shorter is up to date.
const measuredOver = time.Minute

// ownRate is how many requests per second this client sends, averaged over the last minute or, while
// it has not sent for so long, since its first request. The average is exponential: 63 % of
// all that was is forgotten in a minute. As it begins at zero, it is divided by the part of
// its weight that there has been time for.
//
// Say seven requests per second are sent for five seconds. The average is 0.54 per second then, as 8 %
// of a minute's weight has passed; 0.54 / 0.08 = 7.
type ownRate struct {
	sum         float32 // requests, fading
	first, last Instant
}

// sent takes in a request of that cost.
func (m *ownRate) sent(now Instant, cost int64) {
	if m.first == 0 {
		m.first, m.last = now, now
	}
	m.sum = float32(float64(m.sum)*math.Exp(-periods(now.Sub(m.last))) + float64(cost))
	m.last = max(m.last, now)
}

// perSecond is the rate now.
func (m *ownRate) perSecond(now Instant) float64 {
	if m.first == 0 {
		return 0
	}
	weight := -math.Expm1(-max(periods(now.Sub(m.first)), periods(time.Second)))
	return float64(m.sum) * math.Exp(-periods(now.Sub(m.last))) / weight / measuredOver.Seconds()
}

func periods(d time.Duration) float64 { return max(d.Seconds()/measuredOver.Seconds(), 0) }
