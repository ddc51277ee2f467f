package pacer

import "time"

// ownPeriod is the period by which own requests are counted: longer is steadier, shorter is up to date.
const ownPeriod = time.Minute

// ownRate is how many requests per second this client sends, averaged over the last minute or, while
// it has not sent for so long, since its first request. As a sliding counter it counts those of this minute
// and of the one before, of which the part counts that is not a minute ago.
//
// Say 60 requests were sent in the minute before, and 10 in the 15 s of this one. Then it is
// (60 × 45/60 + 10) / 60 = 0.92 per second.
type ownRate struct {
	first           Instant
	begun           Instant // this period
	before, current float32 // requests
}

// sent takes in a request of that cost.
func (m *ownRate) sent(now Instant, cost int64) {
	if m.first == 0 {
		m.first, m.begun = now, now
	}
	switch since := now.Sub(m.begun); {
	case since >= 2*ownPeriod:
		m.before, m.current, m.begun = 0, 0, now
	case since >= ownPeriod:
		m.before, m.current, m.begun = m.current, 0, m.begun.Add(ownPeriod)
	}
	m.current += float32(cost)
}

// perSecond is the rate now.
func (m *ownRate) perSecond(now Instant) float64 {
	if m.first == 0 {
		return 0
	}
	periods := now.Sub(m.begun).Seconds() / ownPeriod.Seconds() // more than one: nothing was sent since
	before := float64(m.before) * within(1-periods, 0, 1)
	current := float64(m.current) * within(2-periods, 0, 1)
	return (before + current) / within(now.Sub(m.first).Seconds(), 1, ownPeriod.Seconds())
}
