// Package arrival spaces requests by the generic cell rate algorithm (GCRA, ITU-T I.371). A client that falls behind
// may catch up at once, up to the burst tolerance.
//
// An example: with an emission interval of 0.6 s and a burst tolerance of 6 s, eleven requests go at once after an
// idle minute, and the next 0.6 s later. Jitter stretches or shortens each interval by up to a tenth, so that the
// clients of a quota do not send in step.
//
// The theoretical arrival time of the next request is one current interval after the last one's. Each plan computes it
// again, so a new pace takes effect at once. Times are seconds.
package arrival

// A Line is the theoretical arrival time of one kind of request.
type Line struct {
	At   float64 // theoretical arrival time of the last request, not before now minus the tolerance
	Owed float64 // cost of the last request, with jitter: so many intervals until the next
}

// Next returns the theoretical arrival time of the next request. It is at most longest after the last one's.
func (l *Line) Next(interval, longest float64) float64 {
	return l.At + min(interval*l.Owed, longest)
}

// Take records a request of that cost that is sent now, with the theoretical arrival time next. Time before opened
// does not count as idle: the client had to wait. jitter is a factor of the interval until the next request.
func (l *Line) Take(now, next, opened, tolerance, cost, jitter float64) {
	l.At = max(next, now-tolerance, min(opened, now))
	l.Owed = cost * jitter
}

// Refund takes back a request's cost, so that the next request may use its slot. If the last request's cost is already
// taken back, the line moves back by so many intervals, but not before now: the end of a hold stays.
func (l *Line) Refund(now, cost, interval float64) {
	switch {
	case l.Owed > 0:
		l.Owed -= min(cost, l.Owed)
	case l.At <= now:
		l.At -= interval * cost
	}
}

// Grant lets the next request go at a time.
func (l *Line) Grant(at float64) { l.At, l.Owed = at, 0 }
