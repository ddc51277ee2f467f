package pacer

import (
	"iter"

	"github.com/headway-go/headway/limits"
)

// A Partition is the pacing state of one partition, made by [New]; its zero value
// is not usable. It holds no clock, lock, timer or goroutine: the caller serialises its calls and passes now.
// A time that goes backwards delays, but breaks nothing.
type Partition struct {
	cfg *Config

	seq     uint64  // requests sent
	arrival arrival // of all requests
	own     ownRate

	jitter   float32 // of the next slot, in [−1, 1] times the share that the caller chose
	live     LimitSet
	limits   []limit // at the places of live, others are free
	anywhere route   // of requests without a number
	routes   *routes // nil: there are no others

	places places
	gate   *gate  // nil: nothing was refused
	trial  *trial // nil: of one request at most
	rare   *rare  // nil: nothing of it is needed
}

// A rare is what few partitions need.
type rare struct {
	units  []limits.Unit // besides requests. Never written to, only replaced
	forgot uint64        // requests sent when it last forgot
}

// New returns a partition of which nothing is known. cfg is kept, not copied,
// and not written to; it must not be nil.
func New(cfg *Config) Partition { return Partition{cfg: cfg} }

// Send records that a request goes to the wire now, whatever is planned, and sets t.
func (p *Partition) Send(now Instant, cost *Cost, t *Ticket) {
	var plan Plan
	var d demand
	d.Plan = &plan
	p.plan(now, cost, &d)
	p.send(now, cost, &d, t)
}

// Take plans a request that no other waits before and, if it may go now, sends
// it and sets t. If not, plan says when. It does in one step what most requests need of Plan and Send.
func (p *Partition) Take(now Instant, cost *Cost, t *Ticket, plan *Plan) bool {
	var d demand
	d.Plan = plan
	p.plan(now, cost, &d)
	if d.At > now {
		return false
	}
	p.send(now, cost, &d, t)
	return true
}

// send records that a request goes to the wire that asks for d, which was planned for now.
func (p *Partition) send(now Instant, cost *Cost, d *demand, t *Ticket) {
	key := ShortName(cost.Key)
	if key != "" && p.expect(now, key) {
		anew := demand{Plan: &Plan{}}
		d = &anew
		p.plan(now, cost, d)
	}
	p.seq++
	t.sent, t.seq, t.beside = now, p.seq, p.places.busy
	t.route, t.key, t.cost, t.probe = cost.Route, key, cost.of(0), d.probe
	t.look = d.look && d.At <= now
	t.uses, t.more = d.uses, nil
	if n := d.uses.len(); n > usualLimits {
		t.more = make([]charge, n-usualLimits)
	}
	for i, l := range p.each(d.uses) {
		next := p.asked(now, cost, i, l, d)
		if d.probe {
			next.at = min(next.at, max(l.arrival.line, now))
		}
		switch isClosed := l.isClosed(now, next); {
		case t.look:
			if next.at = min(next.at, now); isClosed {
				l.looks.more()
			}
		case !isClosed && l.remaining != 0:
			l.looks = 0
		}
		next.at = min(next.at, now.Add(l.longest(now))) // sent too early, whatever was planned
		l.take(now, l.charge(cost), next, !d.tried, p.cfg, t.at(i))
	}
	p.arrival.take(now, 0, min(d.line, now.Add(mostPause)), 0, t.cost)
	if d.gap > 0 || p.seq == 1 { // without a pace nothing depends on it, but for the first that is known
		p.jitter = float32(2*p.cfg.chance() - 1)
	}
	p.own.sent(now, t.cost)
	if p.seq > 1 || p.trial != nil {
		p.trying().sent(now, p.gate.end(), d.gap)
	}
	if t.look && p.gate.end() > now {
		g := made(&p.gate)
		g.last = now
		g.looks.more()
	}
	p.places.sent(now)
	if p.routes != nil || cost.Route > 1 {
		p.sentBy(now, cost.Route, d.probe)
	}
}

// Cancel takes a Send back: the request never reached the wire, because Base
// was not called.
func (p *Partition) Cancel(now Instant, t *Ticket) {
	p.places.released()
	if !p.hasForgotten(t) {
		p.arrival.refund(now, t.cost, 0)
		p.refund(now, t, t.uses)
	}
}

// Answered records the response to a request. Of a limit, an answer to a request older
// than the newest one that told of it changes nothing unless it refuses. The request's
// place stays taken until Release. Neither t nor a is kept, or a written to.
func (p *Partition) Answered(now Instant, t *Ticket, a *Answer) {
	if p.hasForgotten(t) {
		p.answeredLate(now, t, a)
		return
	}
	reset := p.learn(now, t, a)
	if t.probe {
		p.probeEnds(now, t, !a.Refused)
	}
	p.places.last = now
	if a.Refused {
		p.refused(now, t, a, reset)
		return
	}
	if t.look && !a.Indirect {
		p.lift(now, t)
	}
	p.places.succeeded(p.paced(t))
	p.trial.succeeded(now, t.sent >= p.gate.end())
	p.gate.succeeded(t)
}

// Lost records that Base returned an error: the request counts as sent until
// the next reading tells. Its place stays taken until Release.
func (p *Partition) Lost(now Instant, t *Ticket) {
	p.places.last = now
	if p.hasForgotten(t) {
		return
	}
	if t.probe {
		p.probeEnds(now, t, false)
	}
	p.unsure(t, p.live)
}

// Release frees a request's place: it is over, its response body included.
// Exactly one Release or Cancel follows each Send.
func (p *Partition) Release() { p.places.released() }

// InFlight returns the number of requests that were sent and are neither
// released nor cancelled.
func (p *Partition) InFlight() int64 { return p.places.busy }

// HasLimits reports whether the server told of limits on the rate.
func (p *Partition) HasLimits() bool { return p.live != 0 }

// IsUnlimited reports whether nothing keeps requests back, whenever they come: no answer has told of a limit on the
// rate, or refused, and one more may be in flight.
func (p *Partition) IsUnlimited() bool {
	return p.live == 0 && p.gate == nil && p.routes == nil && p.places.isFree(false)
}

// HasConcurrencyLimit reports whether the server advertised a limit on requests
// in flight, so that a place is free only at the end of the response's body.
func (p *Partition) HasConcurrencyLimit() bool { return p.places.advertised > 0 }

// HeldUntil returns the end of the holds that keep back requests like that one; an
// Instant not after now if none is in force, or if it goes nevertheless, as a probe.
func (p *Partition) HeldUntil(t *Ticket) Instant {
	if t.probe {
		return 0
	}
	until := p.gate.end()
	for _, l := range p.each(p.applying(t)) {
		until = max(until, l.past().held)
	}
	return until
}

// Stops reports whether a hold keeps back the request of that ticket, which was let go and did not leave yet. Nothing does
// if it is a probe, and if it is a second look only what a Retry-After asks for.
func (p *Partition) Stops(now Instant, t *Ticket) bool {
	if !t.look {
		return p.HeldUntil(t) > now
	}
	return as(p.gate).firm > now || p.applying(t)&p.those(func(l *limit) bool { return l.past().firm > now }) != 0
}

// Held reports whether a hold is in force, on everything or on a limit.
func (p *Partition) Held(now Instant) bool {
	return p.gate.end() > now || p.those(func(l *limit) bool { return l.past().held > now }) != 0
}

// Idle reports whether the partition may be forgotten without loss: nothing is
// in flight, no hold is in force, and every window it knows of has ended, or was
// last told of a day ago with something left.
func (p *Partition) Idle(now Instant) bool {
	return p.places.busy == 0 && p.gate.end() <= now &&
		p.those(func(l *limit) bool { return !l.forgettable(now) }) == 0
}

// paced reports whether a pace is known for requests like that one.
func (p *Partition) paced(t *Ticket) bool {
	for s := p.applying(t); s != 0; s = s.rest() {
		if p.limits[s.first()].refill() > 0 {
			return true
		}
	}
	return p.trial != nil && p.trial.start > 0
}

// trying is the trial, which is kept from the second request on, or the first refusal: most partitions
// of a large program see one request.
func (p *Partition) trying() *trial {
	if p.trial == nil {
		p.trial = &trial{begun: p.own.first, last: p.own.first}
		if p.places.most != 0 { // the first was answered
			p.trial.n = 1
		}
	}
	return p.trial
}

// as is what is kept there, the zero value if nothing is.
func as[T any](kept *T) (t T) {
	if kept != nil {
		t = *kept
	}
	return t
}

// made is the same to be written to, which is kept from then on.
func made[T any](kept **T) *T {
	if *kept == nil {
		*kept = new(T)
	}
	return *kept
}

// each yields the places of these limits, and the limits.
func (p *Partition) each(limits LimitSet) iter.Seq2[int, *limit] {
	return func(yield func(int, *limit) bool) {
		for s := limits; s != 0 && yield(s.first(), &p.limits[s.first()]); s = s.rest() {
		}
	}
}

// those is the set of the limits of which this is true.
func (p *Partition) those(is func(l *limit) bool) LimitSet {
	var all LimitSet
	for i, l := range p.each(p.live) {
		if is(l) {
			all |= placeOf(i)
		}
	}
	return all
}
