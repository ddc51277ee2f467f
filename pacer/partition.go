package pacer

// A Partition is the pacing state of one partition, made by [New]; its zero value
// is not usable. It holds no clock, lock, timer or goroutine: the caller
// serialises its calls and passes now and uniform random numbers u in [0, 1). A
// time that goes backwards delays, but breaks nothing.
type Partition struct {
	cfg *Config

	seq   uint64    // requests sent
	units *[]string // besides requests; nil: none. Never written to, only replaced

	base  Instant // the pace line of all requests
	owed  float32 // what the last request cost
	swing float32 // jitter of the next slot, in [−1, 1]
	own   ownRate

	live     LimitSet
	limits   []limit // at the places of live, others are free
	anywhere route   // of requests without a number
	routes   *routes // nil: there are no others

	places places
	hold   hold
	trial  trial
}

// New returns a partition of which nothing is known. cfg is kept, not copied,
// and not written to; it must not be nil.
func New(cfg *Config) Partition { return Partition{cfg: cfg} }

// Send records that a request goes to the wire now, whatever is planned.
func (p *Partition) Send(now Instant, cost *Cost, u float64) (t Ticket) {
	var n need
	p.plan(now, cost, &n)
	p.send(now, cost, u, &n, &t)
	return t
}

// Take plans a request that no other waits before and, if it may go now, sends
// it and sets t, else not. It does in one step what most requests need of Plan and Send.
func (p *Partition) Take(now Instant, cost *Cost, u float64, t *Ticket) (Plan, bool) {
	var n need
	p.plan(now, cost, &n)
	if n.At > now {
		return n.Plan, false
	}
	p.send(now, cost, u, &n, t)
	return n.Plan, true
}

// Cancel takes a Send back: the request never reached the wire, because Base
// was not called.
func (p *Partition) Cancel(now Instant, t *Ticket) {
	moved, last := t.seq <= p.hold.since, t.seq == p.seq
	if !moved {
		p.base = p.base.Add(-t.step)
		if last {
			p.owed = t.owed
		}
	}
	for s := t.uses & p.live; s != 0; s = s.rest() {
		i := s.first()
		if l := &p.limits[i]; t.seq > l.born {
			l.untake(t.of(i), moved, last && !moved)
		}
	}
	p.unsentBy(t)
	p.places.released()
}

// Answered records the response to a request. Of a limit, an answer to a request older
// than the newest one that told of it changes nothing unless it refuses. The request's
// place stays taken until Release. Neither t nor a is kept or written to.
func (p *Partition) Answered(now Instant, t *Ticket, a *Answer, u float64) {
	if a.Refused && t.seq > p.hold.since && !t.probe {
		p.windowTooEarly(t)
	}
	p.learn(now, t, a, u)
	if t.probe {
		p.probeEnds(now, t, !a.Refused)
	}
	p.places.last = now
	if a.Refused {
		p.refused(now, t, a, u)
		return
	}
	p.places.succeeded(p.paced(t))
	p.trial.succeeded(t.sent, t.sent >= p.hold.until)
	p.hold.succeeded(t)
}

// Lost records that Base returned an error: the request counts as sent until
// the next reading tells. Its place stays taken until Release.
func (p *Partition) Lost(now Instant, t *Ticket) {
	if t.probe {
		p.probeEnds(now, t, false)
	}
	p.unsure(t)
	p.places.last = now
}

// Release frees a request's place: it is over, its response body included.
// Exactly one Release or Cancel follows each Send.
func (p *Partition) Release() { p.places.released() }

// InFlight returns the number of requests that were sent and are neither
// released nor cancelled.
func (p *Partition) InFlight() int64 { return p.places.busy }

// HasLimits reports whether the server told of limits on the rate.
func (p *Partition) HasLimits() bool { return p.live != 0 }

// HasConcurrencyLimit reports whether the server advertised a limit on requests
// in flight, so that a place is free only at the end of the response's body.
func (p *Partition) HasConcurrencyLimit() bool { return p.places.advertised > 0 }

// HeldUntil returns the end of the holds that keep back requests like that one; an
// Instant not after now if none is in force, or if it goes nevertheless, as a probe.
func (p *Partition) HeldUntil(t *Ticket) Instant {
	if t.probe {
		return 0
	}
	until := p.hold.until
	for s := p.applying(t); s != 0; s = s.rest() {
		until = max(until, p.limits[s.first()].held)
	}
	return until
}

// Held reports whether a hold is in force, on everything or on a limit.
func (p *Partition) Held(now Instant) bool {
	return p.hold.until > now || p.those(func(l *limit) bool { return l.held > now }) != 0
}

// Idle reports whether the partition may be forgotten without loss: nothing is
// in flight, no hold is in force, and every window it knows of has ended, or was
// last told of a day ago with something left.
func (p *Partition) Idle(now Instant) bool {
	if p.places.busy > 0 || p.hold.until > now {
		return false
	}
	for s := p.live; s != 0; s = s.rest() {
		if !p.limits[s.first()].forgettable(now) {
			return false
		}
	}
	return true
}
