package pacer

import (
	"iter"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer/internal/arrival"
	"github.com/headway-go/headway/pacer/internal/refusal"
)

// A Partition stores what is known of the limits that some requests share, and decides when the next one may go. Use
// [New]: the zero value is not usable. A Partition has no clock, lock, timer or goroutine. The caller passes the
// current time and serialises all calls. If the clock goes backwards, requests wait longer, and that is all.
type Partition struct {
	cfg *Config

	skew, latest float64 // see Partition.time
	seq          uint64  // requests sent
	forgot       uint64  // requests sent before the last Forget

	line arrival.Line // of all requests, for rates from trials, for MaxRate and for holds
	sending
	path path

	units  []limits.Unit // units besides requests; replaced, never modified
	live   LimitSet
	limits []known // at the places of live, others are free
	routes

	places refusal.Places
	hold   hold
	trial  refusal.Trial

	awaits  bool // see AwaitParts
	members int  // of a fleet, see Apportion
}

// New returns an empty partition. cfg must not be nil. The partition keeps the pointer and never writes to it.
func New(cfg *Config) Partition { return Partition{cfg: cfg, latest: 1} }

// Send records that a request is sent now, whatever its plan, and sets t.
func (p *Partition) Send(now Instant, cost *Cost, t *Ticket) {
	d := demand{Plan: new(Plan)}
	at := p.time(now)
	p.plan(at, cost, &d)
	p.send(at, cost, &d, t)
}

// Take plans a request that has no requests ahead of it. If the request may go now, Take sends it and sets t. Otherwise
// plan says when it may go. Take combines Plan and Send in one step, which is enough for most requests.
func (p *Partition) Take(now Instant, cost *Cost, t *Ticket, plan *Plan) bool {
	*plan = Plan{}
	d := demand{Plan: plan}
	at := p.time(now)
	p.plan(at, cost, &d)
	if d.At > now {
		return false
	}
	p.send(at, cost, &d, t)
	return true
}

// send records that a request with the demand d, planned for now, is sent.
func (p *Partition) send(now float64, cost *Cost, d *demand, t *Ticket) {
	p.seq++
	t.sent, t.seq, t.beside, t.cost, t.route = now, p.seq, p.places.Busy, cost.of(0), cost.Route
	t.look, t.held, t.uses = d.look && d.at <= now, d.Cause == CauseHold, d.uses
	jitter := p.cfg.jitter()
	for i, l := range p.each(d.uses) {
		p.charge(now, cost, i, l, d, t, jitter)
	}
	p.line.Take(now, min(d.line, now+60), 0, 0, float64(t.cost), jitter)
	p.sending.add(now, float64(t.cost))
	p.trial.Sent(now, p.hold.Until, d.gap)
	if t.look && p.hold.Until > now {
		p.hold.Looked(now)
	}
	p.places.Sent(now)
	if p.seen(cost.Route).Fresh {
		p.route(cost.Route).InFlight = true
		p.freshAt = now
	}
}

// charge charges a request that is sent now to the limit l at place i.
func (p *Partition) charge(now float64, cost *Cost, i int, l *known, d *demand, t *Ticket, jitter float64) {
	next := d.slots[i]
	isClosed := max(next.Opens, l.Hold.Until) > now
	switch {
	case t.look && isClosed:
		l.Hold.Looked(now)
	case !isClosed && l.Left > 0:
		l.Hold.Looks = 0
	}
	l.Hold.At = now
	burst := 0.0
	if !d.tried {
		burst = p.cfg.burst(l.Quota)
	}
	c := t.of(l, i)
	c.cost = l.charge(cost)
	next.Opens = max(next.Opens, min(d.opens, now))
	c.units = l.Take(now, c.cost, burst, jitter, next) - l.missed
	if l.Cost != nil {
		l.Cost.Sent++
		c.nth = l.Cost.Sent
	}
}

// Cancel undoes a Send: the request was never handed to the network.
func (p *Partition) Cancel(now Instant, t *Ticket) {
	if at := p.time(now); !p.hasForgotten(t) {
		p.line.Refund(at, float64(t.cost), 0)
		p.refund(at, t, t.uses)
	}
	p.Release()
}

// Answered records the response to a request. It ignores a report of a limit that a later request's response has
// reported already; a refusal holds all the same. The request keeps its place until Release. t and a are not retained, and
// a is not modified.
func (p *Partition) Answered(now Instant, t *Ticket, a *Answer) {
	at := p.time(now)
	p.places.Answered(at)
	if p.hasForgotten(t) {
		if a.Refused && a.RetryAfter >= 0 {
			p.refused(at, &Ticket{seq: t.seq, sent: t.sent}, &Answer{RetryAfter: a.RetryAfter, Refused: true}, -1)
		}
		return
	}
	isFirst := p.seen(t.route).Fresh
	reset := p.learn(at, t, a)
	switch { // do all known limits apply to new routes, too?
	case isFirst && (a.Refused || p.seen(t.route).Exempt == 0):
		p.alike = min(p.alike+1, refusal.MostLooks)
	case isFirst:
		p.alike = 0
	}
	if a.Refused {
		p.refused(at, t, a, reset)
	} else {
		p.succeeded(at, t, a.Indirect)
	}
}

// succeeded handles a response that does not refuse its request.
func (p *Partition) succeeded(at float64, t *Ticket, isIndirect bool) {
	if t.look && !isIndirect {
		p.lift(at, t)
	}
	isNew := t.seq > p.hold.since // it was sent after the last refusal
	p.places.Succeeded(at, p.live != 0 && p.paced(t), isNew)
	if !isIndirect {
		p.trial.Succeeded(at, t.sent >= p.hold.Until)
	}
	if h := &p.hold; isNew {
		if h.others = h.about != 0 && !h.about.Meets(t.uses); !h.others {
			h.rounds.End()
			h.Looks = 0
		}
	}
}

// Lost records that the request failed without a response. The request counts as sent until the next reading. It keeps
// its place until Release.
func (p *Partition) Lost(now Instant, t *Ticket) {
	at := p.time(now)
	p.places.Answered(at)
	if !p.hasForgotten(t) {
		p.unsure(t, p.live)
	}
}

// Release frees a request's place when the request has ended, including its response body. Exactly one Release or
// Cancel follows each Send.
func (p *Partition) Release() { p.places.Released(p.latest) }

// Forget drops all that was learned, as if the partition were new: limits, holds, places, paces and routes. Requests in
// flight still count, and each one must be ended as usual. Of their responses only a Retry-After is used: limits in
// them may be the ones to forget. Units keep their indices. Earlier LimitSets become invalid, and waiting requests must
// be planned again.
func (p *Partition) Forget() {
	*p = Partition{
		cfg: p.cfg, awaits: p.awaits, seq: p.seq, forgot: p.seq, skew: p.skew, latest: p.latest, units: p.units,
		places: refusal.Places{Busy: p.places.Busy}, hold: hold{since: p.seq, round: p.seq},
	}
}

// hasForgotten reports whether a request was sent before Forget.
func (p *Partition) hasForgotten(t *Ticket) bool { return t.seq <= p.forgot }

// each yields the places and pointers of these limits.
func (p *Partition) each(limits LimitSet) iter.Seq2[int, *known] {
	return func(yield func(int, *known) bool) {
		for s := limits; s != 0 && yield(s.First(), &p.limits[s.First()]); s = s.Rest() {
		}
	}
}

// limitsWhere returns the set of the limits for which the function returns true.
func (p *Partition) limitsWhere(is func(l *known) bool) (all LimitSet) {
	for i, l := range p.each(p.live) {
		if is(l) {
			all |= placeOf(i)
		}
	}
	return all
}
