package pacer

import (
	"slices"
	"time"
)

// A Partition is the pacing state of one partition, made by [New]; its zero value
// is not usable. It holds no clock, lock, timer or goroutine: the caller
// serialises its calls and passes now and uniform random numbers u in [0, 1). A
// time that goes backwards delays, but breaks nothing.
type Partition struct {
	cfg *Config

	seq     uint64 // requests sent
	applied uint64 // the newest request whose answer was applied

	requests tally
	others   *others // nil: no other unit is known

	base   Instant // the pace line: the slot of the last request
	opened Instant // until when requests waited for a new window: waiting is not idling
	swing  float32 // jitter of the next slot, in [−1, 1]
	own    ownRate

	limits []limit
	places places
	hold   hold
	trial  trial
}

// New returns a partition of which nothing is known. cfg is kept, not copied,
// and not written to; it must not be nil.
func New(cfg *Config) Partition { return Partition{cfg: cfg} }

// Plan says when a request of the given cost may be sent if requests that cost
// ahead in all are sent before it. With ahead 0 the answer is exact: Send may
// be called once now has reached At (if no place is free then, the next Plan
// says so). With more it is an estimate. ahead is in requests; cost must not be
// nil, and is neither kept nor written to, here as in Send and Take.
func (p *Partition) Plan(now Instant, ahead int64, cost *Cost) Plan {
	pl, _ := p.plan(now, ahead, cost)
	return pl
}

func (p *Partition) plan(now Instant, ahead int64, cost *Cost) (Plan, pace) {
	pl := Plan{At: p.hold.until, Policy: p.hold.policy, Known: p.hold.until > now}
	asking := false
	for i := range p.limits {
		l := &p.limits[i]
		if l.silent() && l.held <= now {
			continue
		}
		units, charged := p.tally(l.unit).sent, p.charge(cost, l.unit)
		l.roll(now, units, p.hold.slack())
		asking = asking || l.asks() || l.costUnknown(cost)
		at := l.floor(now, units, charged, p.hold.slack())
		if at > p.hold.until && p.hold.wins && l.seq <= p.hold.since {
			at, asking = p.hold.until, true // one attempt; its answer tells more
		}
		if charged > 0 {
			at = max(at, l.held)
		}
		if at > pl.At {
			pl.At, pl.Policy, pl.Known = at, l.name, true
		}
		p.opened = max(p.opened, at)
	}
	open := pl.At <= now
	all := p.pace(now)
	pl.Known = pl.Known || all.gap > 0
	if at := p.slot(all.step); at > pl.At {
		pl.At = at
		if all.gap > 0 {
			pl.Policy = p.policy(all.by)
		}
	}
	switch at := p.places.next(p.hold.alone || asking); {
	case at == Never && open:
		return Plan{At: Never}, all
	case at == Never: // nothing goes before what is known, place or not
	case at > pl.At:
		pl.At, pl.Policy = at, ""
	}
	if ahead > 0 {
		// A window that is nearly used up asks for a long gap now, not for all who wait.
		pl.At = max(pl.At, now).Add(scale(min(all.gap, p.requestInterval()), float64(ahead)))
	}
	return pl, all
}

// Send records that a request goes to the wire now.
func (p *Partition) Send(now Instant, cost *Cost, u float64) (t Ticket) {
	p.send(now, cost, u, p.pace(now), &t)
	return t
}

// Take plans a request that no other waits before and, if it may go now, sends
// it and sets t, else not. It does in one step what most requests need of Plan and Send.
func (p *Partition) Take(now Instant, cost *Cost, u float64, t *Ticket) (Plan, bool) {
	pl, all := p.plan(now, 0, cost)
	if pl.At > now {
		return pl, false
	}
	p.send(now, cost, u, all, t)
	return pl, true
}

func (p *Partition) send(now Instant, cost *Cost, u float64, all pace, t *Ticket) {
	line, step := now, time.Duration(0)
	if all.gap > 0 {
		slot := p.slot(all.step)
		step = slot.Sub(p.base)
		line = max(slot, now.Add(-all.credit))
		if p.opened > 0 {
			line = max(line, min(p.opened, now))
		}
	}
	p.seq++
	t.sent, t.seq, t.beside = now, p.seq, p.places.busy
	t.step, t.base, t.opened = step, p.base, p.opened
	p.base, p.swing, p.opened = line, float32(2*u-1), 0
	p.charged(cost, t)
	for i := range p.limits {
		l := &p.limits[i]
		l.recent.add(now, l.window, t.charge(l.unit).cost)
	}
	p.own.sent(t.requests.cost, p.trial.since(now))
	p.trial.sent(now, p.hold.until, all.gap)
	p.places.sent(now)
}

// Cancel takes a Send back: the request never reached the wire, because Base
// was not called.
func (p *Partition) Cancel(t *Ticket) {
	switch {
	case t.seq <= p.hold.since: // a hold has moved the line since
	case t.seq == p.seq:
		p.base, p.opened = t.base, t.opened
	default: // others have used the credit that it left
		p.base = p.base.Add(-t.step)
	}
	p.uncharged(t, t.seq == p.seq && t.seq > p.hold.since)
	for i := range p.limits {
		p.limits[i].cancelled(t)
	}
	p.places.released()
}

// Answered records the response to a request. An answer to a request older than
// the newest one that was answered changes nothing unless it refuses. Its place
// stays taken until Release. Neither t nor a is kept or written to.
func (p *Partition) Answered(now Instant, t *Ticket, a *Answer, u float64) {
	if a.Refused && t.seq > p.hold.since {
		p.windowTooEarly(t)
	}
	if t.seq > p.applied {
		p.applied = t.seq
		p.learn(now, t, a, u)
	}
	p.places.last = now
	if a.Refused {
		p.refused(now, t, a, u)
		return
	}
	p.places.succeeded(p.interval() > 0)
	p.trial.succeeded(t.sent, t.sent >= p.hold.until)
	p.hold.succeeded(t)
}

// Lost records that Base returned an error: the request counts as sent until
// the next reading tells. Its place stays taken until Release.
func (p *Partition) Lost(now Instant) { p.places.last = now }

// Release frees a request's place: it is over, its response body included.
// Exactly one Release or Cancel follows each Send.
func (p *Partition) Release() { p.places.released() }

// InFlight returns the number of requests that were sent and are neither
// released nor cancelled.
func (p *Partition) InFlight() int64 { return p.places.busy }

// HasConcurrencyLimit reports whether the server advertised a limit on requests
// in flight, so that a place is free only at the end of the response's body.
func (p *Partition) HasConcurrencyLimit() bool { return p.places.advertised > 0 }

// HasByteLimit reports whether the server told of a limit on content-bytes.
func (p *Partition) HasByteLimit() bool { return slices.Contains(p.Units(), ContentBytes) }

// Transferred records that the content of a response had n bytes, which count
// from the next request on, until an answer tells what is left.
func (p *Partition) Transferred(now Instant, n int64) {
	i := slices.Index(p.Units(), ContentBytes)
	if i < 0 || n <= 0 {
		return
	}
	n = min(n, MostCost)
	p.others.tallies[i].sent += n
	for j := range p.limits {
		if l := &p.limits[j]; int(l.unit) == i+1 {
			l.recent.add(now, l.window, n)
		}
	}
}

// HeldUntil returns the end of the hold; an Instant not after now if none is in force.
func (p *Partition) HeldUntil() Instant { return p.hold.until }

// Held reports whether a hold is in force, on everything or on a policy.
func (p *Partition) Held(now Instant) bool {
	return p.hold.until > now || slices.ContainsFunc(p.limits, func(l limit) bool { return l.held > now })
}

// Idle reports whether the partition may be forgotten without loss: nothing is
// in flight, no hold is in force, and every window it knows of has ended, or was
// last told of a day ago with something left.
func (p *Partition) Idle(now Instant) bool {
	if p.places.busy > 0 || p.hold.until > now {
		return false
	}
	for i := range p.limits {
		if !p.limits[i].forgettable(now) {
			return false
		}
	}
	return true
}
