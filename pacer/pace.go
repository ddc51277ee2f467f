package pacer

import "time"

// interval is the gap between usual requests at the nominal rates of these limits,
// whatever is left now.
func (p *Partition) interval(limits LimitSet) time.Duration {
	var gap time.Duration
	for s := limits & p.live; s != 0; s = s.rest() {
		l := &p.limits[s.first()]
		gap = max(gap, l.perRequest(l.interval()))
	}
	if gap == 0 {
		gap = p.trial.gap()
	}
	return gap
}

// paced reports whether a pace is known for requests like that one.
func (p *Partition) paced(t *Ticket) bool {
	for s := p.applying(t); s != 0; s = s.rest() {
		if l := &p.limits[s.first()]; l.quota > 0 && l.window > 0 {
			return true
		}
	}
	return p.trial.rate > 0
}

// requestInterval is interval by the limits on requests alone. What those who wait
// cost in other units differs too much to say when a request's turn comes.
func (p *Partition) requestInterval(limits LimitSet) time.Duration {
	if p.units == nil {
		return p.interval(limits)
	}
	var gap time.Duration
	for s := limits; s != 0; s = s.rest() {
		if l := &p.limits[s.first()]; l.unit == 0 {
			gap = max(gap, l.interval())
		}
	}
	return gap
}

// pace is how many requests per second may be sent now that use all limits, and of
// each as much as is usual; 0: no pace is known.
func (p *Partition) pace(now Instant) float64 {
	var n need
	for s := p.live; s != 0; s = s.rest() {
		l := &p.limits[s.first()]
		l.lapse(now, p.cfg)
		l.roll(now, p.hold.slack())
		n.gap = max(n.gap, l.perRequest(l.gap(now)))
	}
	p.askAll(&n)
	return perSecond(n.gap)
}

// perSecond is the rate at which requests go at that interval; 0 for none.
func perSecond(gap time.Duration) float64 {
	if gap <= 0 {
		return 0
	}
	return float64(time.Second) / float64(gap)
}
