package pacer

import (
	"iter"

	"github.com/headway-go/headway/limits"
)

// A Partition stores what is known of the limits that some requests share, and decides when the next one may go.
// Use [New]: the zero value is not usable. A Partition has no clock, lock, timer or goroutine. The caller passes the
// current time and serialises all calls. If the clock goes backwards, requests wait longer, and that is all.
type Partition struct {
	cfg *Config

	seq     uint64  // requests sent
	arrival arrival // of all requests, for rates from trials, for MaxRate and for holds
	own     ownRate

	jitter   float32 // of the next slot, in [−1, 1] times Config.Jitter
	live     LimitSet
	limits   []limit // at the places of live, others are free
	anywhere route   // the route of requests without a number
	routes   *routes // nil: there is no other

	places places
	gate   *gate  // nil: no refusal yet
	trial  *trial // nil: one request at most so far
	rare   *rare  // nil: unused
}

// A rare holds state that few partitions need.
type rare struct {
	units  []limits.Unit // units besides requests; replaced, never modified
	forgot uint64        // requests sent before the last Forget
}

// New returns an empty partition. cfg must not be nil. The partition keeps the pointer and never writes to it.
func New(cfg *Config) Partition { return Partition{cfg: cfg} }

// Send records that a request is sent now, whatever its plan, and sets t.
func (p *Partition) Send(now Instant, cost *Cost, t *Ticket) {
	var plan Plan
	var d demand
	d.Plan = &plan
	p.plan(now, cost, &d)
	p.send(now, cost, &d, t)
}

// Take plans a request that has no requests ahead of it. If the request may go now, Take sends it and sets t.
// Otherwise plan says when it may go. Take combines Plan and Send in one step, which is enough for most requests.
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

// send records that a request with the demand d, planned for now, is sent.
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
		next.at = min(next.at, now.Add(l.longest(now))) // for a request that was sent before its plan
		l.take(now, l.charge(cost), next, !d.tried, p.cfg, t.at(i))
	}
	p.arrival.take(now, 0, min(d.line, now.Add(mostPause)), 0, t.cost)
	if d.gap > 0 || p.seq == 1 { // otherwise jitter has no effect; the first draw is for the first pace
		p.jitter = float32(2*p.cfg.chance() - 1)
	}
	p.own.sent(now, t.cost)
	if p.seq > 1 || p.trial != nil {
		p.trying().sent(now, p.gate.end(), d.gap)
	}
	if t.look && p.gate.end() > now {
		g := ensure(&p.gate)
		g.last = now
		g.looks.more()
	}
	p.places.sent(now)
	if p.routes != nil || cost.Route > 1 {
		p.sentBy(now, cost.Route, d.probe)
	}
}

// Cancel undoes a Send: the request was never handed to the network.
func (p *Partition) Cancel(now Instant, t *Ticket) {
	p.places.released()
	if !p.hasForgotten(t) {
		p.arrival.refund(now, t.cost, 0)
		p.refund(now, t, t.uses)
	}
}

// Answered records the response to a request. It ignores a report of a limit that a later request's response has
// reported already; a refusal holds all the same. The request keeps its place until Release. t and a are not kept,
// and a is not modified.
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

// Lost records that the request failed without a response. The request counts as sent until the next reading. It
// keeps its place until Release.
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

// Release frees a request's place when the request has ended, including its response body. Exactly one
// Release or Cancel follows each Send.
func (p *Partition) Release() { p.places.released() }

// InFlight returns the number of requests that were sent and neither released nor cancelled.
func (p *Partition) InFlight() int64 { return p.places.busy }

// HasLimits reports whether the server has reported limits on the rate.
func (p *Partition) HasLimits() bool { return p.live != 0 }

// IsUnlimited reports whether any request may go at once: no response has reported a limit on the rate or
// refused a request, and there is a free place.
func (p *Partition) IsUnlimited() bool {
	return p.live == 0 && p.gate == nil && p.routes == nil && p.places.isFree(false)
}

// HasConcurrencyLimit reports whether the server has reported a limit on requests in flight. A place is then
// free only when the response body ends.
func (p *Partition) HasConcurrencyLimit() bool { return p.places.advertised > 0 }

// HeldUntil returns the end of the holds that apply to such a request. It is not after now if there is none,
// or if the request is a probe.
func (p *Partition) HeldUntil(t *Ticket) Instant {
	if t.probe {
		return 0
	}
	until := p.gate.end()
	for _, l := range p.each(p.applying(t)) {
		until = max(until, l.held())
	}
	return until
}

// Stops reports whether a hold applies to a request that was allowed but has not left yet. Probes are never
// stopped. A second look is stopped only by a Retry-After.
func (p *Partition) Stops(now Instant, t *Ticket) bool {
	if !t.look {
		return p.HeldUntil(t) > now
	}
	return valueOf(p.gate).firm > now || p.applying(t)&p.limitsWhere(func(l *limit) bool { return l.past().firm > now }) != 0
}

// Held reports whether there is a hold, on everything or on a limit.
func (p *Partition) Held(now Instant) bool {
	return p.gate.end() > now || p.limitsWhere(func(l *limit) bool { return l.held() > now }) != 0
}

// Idle reports whether the partition can be dropped without loss. Then no request is in flight, and there is no
// hold. Every window has ended, or the last report of it is more than a day old and had quota left.
func (p *Partition) Idle(now Instant) bool {
	return p.places.busy == 0 && p.gate.end() <= now &&
		p.limitsWhere(func(l *limit) bool { return !l.forgettable(now) }) == 0
}

// paced reports whether there is a pace for such requests.
func (p *Partition) paced(t *Ticket) bool {
	for s := p.applying(t); s != 0; s = s.rest() {
		if p.limits[s.first()].refill() > 0 {
			return true
		}
	}
	return p.trial != nil && p.trial.start > 0
}

// trying returns the trial, and creates it if necessary. It exists from the second request or the first
// refusal on, because most partitions of a large program see one request.
func (p *Partition) trying() *trial {
	if p.trial == nil {
		p.trial = &trial{begun: p.own.first, last: p.own.first}
		if p.places.most != 0 { // the first request has a response
			p.trial.n = 1
		}
	}
	return p.trial
}

// valueOf returns *kept, or the zero value if kept is nil.
func valueOf[T any](kept *T) (t T) {
	if kept != nil {
		t = *kept
	}
	return t
}

// ensure returns *kept for writing, and creates it if it is nil.
func ensure[T any](kept **T) *T {
	if *kept == nil {
		*kept = new(T)
	}
	return *kept
}

// each yields the places and pointers of these limits.
func (p *Partition) each(limits LimitSet) iter.Seq2[int, *limit] {
	return func(yield func(int, *limit) bool) {
		for s := limits; s != 0 && yield(s.first(), &p.limits[s.first()]); s = s.rest() {
		}
	}
}

// limitsWhere returns the set of the limits for which the function returns true.
func (p *Partition) limitsWhere(is func(l *limit) bool) LimitSet {
	var all LimitSet
	for i, l := range p.each(p.live) {
		if is(l) {
			all |= placeOf(i)
		}
	}
	return all
}
