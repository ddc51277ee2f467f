package pacer

import "github.com/headway-go/headway/pacer/internal/refusal"

// An ownRate measures how many requests per second this client sends: the average of the last minute, or since its
// first request if that is less. It counts as a sliding counter does: the requests of this minute, and a part of those
// before. It also counts successes and idle time since the first request, for the rate that the first trial begins with.
//
// An example: 60 requests were sent in the minute before, and 10 in the 15 s of this one. The rate is (60 × 45/60 + 10)
// / 60 = 0.92 per second.
type ownRate struct {
	first, last     float64
	begun           float64 // beginning of this period
	before, current float32 // requests of the last period and of this one
	served          float32 // successes in all
	idle            float32 // seconds in which there was nothing to send
}

// ownPeriod is the period for counting own requests, in seconds. Longer: steadier. Shorter: more recent.
const ownPeriod = 60.0

// sent counts a request of that cost.
func (m *ownRate) sent(now float64, cost int64) {
	if m.first == 0 {
		m.first, m.begun = now, now
	}
	m.idle += float32(max(now-max(m.last, m.first)-refusal.Idle, 0))
	m.last = now
	switch since := now - m.begun; {
	case since >= 2*ownPeriod:
		m.before, m.current, m.begun = 0, 0, now
	case since >= ownPeriod:
		m.before, m.current, m.begun = m.current, 0, m.begun+ownPeriod
	}
	m.current += float32(cost)
}

// perSecond returns the rate now.
func (m *ownRate) perSecond(now float64) float64 {
	if m.first == 0 {
		return 0
	}
	periods := (now - m.begun) / ownPeriod // more than one: none was sent since
	before := float64(m.before) * min(max(1-periods, 0), 1)
	current := float64(m.current) * min(max(2-periods, 0), 1)
	return (before + current) / min(max(now-m.first, 1), ownPeriod)
}

// trial returns a first trial. It begins with the first request, or with the last two periods if their rate was higher.
func (m *ownRate) trial(now float64) *refusal.Trial {
	first, n, recent := m.first+float64(m.idle), float64(m.served), float64(m.before+m.current)
	if lately := max(first, m.begun-ownPeriod); recent*(now-first) > n*(now-lately) {
		first, n = lately, min(n, recent)
	}
	return refusal.NewTrial(first, now, n)
}

// A path measures how much longer than the shortest round trip the others take. The part that all take changes nothing:
// requests a minute apart reach the server a minute apart. So the clock is that of sending, and only the rest makes it
// unsure when the server saw a request.
//
// An example: the shortest round trips take 0.3 s. A request that is sent at 10 s and answered at 10.4 s was seen
// between 10 and 10.1 s, on this clock.
type path struct {
	begun         float64 // of this period
	least, before float32 // shortest round trips of this period and of the last one; 0: none yet
	spread        float32 // by how much round trips are longer of late
}

// pathPeriod is how long, in seconds, a shortest round trip counts, once or twice. Longer: a route that has become
// longer makes it unsure for longer when a request was seen. Shorter: after a pause there is no shortest one.
const pathPeriod = 300.0

// answered adds a round trip and returns by how much it may have been seen later than it was sent.
func (p *path) answered(now, took float64) (late float64) {
	if p.least == 0 { // it may have waited for a connection
		p.least, p.begun = float32(took), now
		return took
	}
	if now-p.begun > pathPeriod {
		p.before, p.least, p.begun = p.least, float32(took), now
	}
	p.least = min(p.least, float32(took))
	late = took - float64(p.least)
	if p.before > 0 {
		late = max(late, took-float64(p.before))
	}
	late = max(late, 0)
	p.spread = max(float32(late), p.spread*15/16)
	return min(late+float64(p.spread)/8, took) // not later than its response
}
