package pacer

// A path measures how much longer than the shortest round trip the others take. The part that all take changes nothing:
// requests a minute apart reach the server a minute apart. So the clock is that of sending, and only the rest makes it
// unsure when the server saw a request.
//
// An example: the shortest round trips take 0.3 s. A request that is sent at 10 s and answered at 10.4 s was seen
// between 10 and 10.1 s, on this clock.
type path struct {
	begun         float64 // of this period
	least, before float64 // shortest round trips of this period and of the last one; 0: none yet
	spread        float64 // by how much round trips are longer of late
}

// pathPeriod is how long, in seconds, a shortest round trip counts, once or twice. Longer: a route that has become
// longer makes it unsure for longer when a request was seen. Shorter: after a pause there is no shortest one.
const pathPeriod = 300.0

// answered adds a round trip and returns by how much it may have been seen later than it was sent.
func (p *path) answered(now, took float64) (late float64) {
	if p.least == 0 { // it may have waited for a connection
		p.least, p.begun = took, now
		return took
	}
	if now-p.begun > pathPeriod {
		p.before, p.least, p.begun = p.least, took, now
	}
	p.least = min(p.least, took)
	late = took - p.least
	if p.before > 0 {
		late = max(late, took-p.before)
	}
	late = max(late, 0)
	p.spread = max(late, p.spread*15/16)
	return min(late+p.spread/8, took) // not later than its response
}
