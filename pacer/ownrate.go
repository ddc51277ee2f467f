package pacer

import "time"

// ownPeriod is the period for counting own requests. Longer: steadier. Shorter: more recent.
const ownPeriod = time.Minute

// An ownRate measures how many requests per second this client sends: the average of the last minute, or
// since its first request if that is less. It counts as a sliding counter does: the requests of this minute,
// and a part of the minute before.
//
// An example: 60 requests were sent in the minute before, and 10 in the 15 s of this one. The rate is (60 ×
// 45/60 + 10) / 60 = 0.92 per second.
type ownRate struct {
	first           Instant
	begun           Instant // beginning of this period
	before, current float32 // requests of the last period and of this one
}

// sent counts a request of that cost.
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

// perSecond returns the rate now.
func (m *ownRate) perSecond(now Instant) float64 {
	if m.first == 0 {
		return 0
	}
	periods := now.Sub(m.begun).Seconds() / ownPeriod.Seconds() // more than one: none was sent since
	before := float64(m.before) * within(1-periods, 0, 1)
	current := float64(m.current) * within(2-periods, 0, 1)
	return (before + current) / within(now.Sub(m.first).Seconds(), 1, ownPeriod.Seconds())
}
