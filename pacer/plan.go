package pacer

import "time"

// A Plan says when a request may go.
type Plan struct {
	// At is the earliest start. Not after now: it may go at once. Never: once another
	// request is released.
	At Instant
	// Policy is the policy that makes it wait, by its ShortName; "" if none does, or it has no name.
	Policy string
	// For is what it waits for: the limit that decides, and those whose next slots it
	// would lose if another request took one first; Everything if no limit decides. It
	// is empty if it may go at once, or waits for the first answer of its route, or
	// until it may go as a probe. It ignores requests ahead.
	For LimitSet
	// Cause is why it waits.
	Cause Cause
	// Age is how long ago the server told of the limit that decides; Unknown if none
	// does, or it never told of it. It counts only for one that waits.
	Age time.Duration
	// Known is false while At is only the caution of a cold start: nothing that a
	// server told.
	Known bool
}

// A demand is what the gate, the limits and the places ask of one request at one moment: how its
// plan came about, and what sending it goes by.
type demand struct {
	*Plan

	uses  LimitSet
	by    int           // the limit that decides when; −1: none does
	opens Instant       // when it could go if only holds and units counted, not the pace
	gap   time.Duration // the longest interval between usual requests that is asked for; 0: none is known
	few   [usualLimits]asked
	line  Instant // the next slot of the partition's own
	tried bool    // the pace is one found by trial, because what limits tell is not all
	probe bool
	look  bool // it goes as a second look
	first bool // it waits for the first answer of its route
	more  bool // this client may be told a larger part of the limit that decides
	burst bool // a fresh client's burst may begin with the response under way
}

// asked is what one limit asks of a request.
type asked struct {
	at       Instant       // the theoretical arrival time
	interval time.Duration // to the next one; 0: none is known
	opens    Instant       // when enough units are there then
}

// Plan says when a request of the given cost may be sent if requests that cost
// ahead in all are sent before it. It changes nothing. With ahead 0, Send may be called once now has reached At and
// the Plan of that moment does not say later, as one in a hundred does: no place is free, or less came back than was
// expected. With more ahead it is an estimate. ahead is in requests; cost must not be
// nil, and is neither kept nor written to, here as in Send and Take.
func (p *Partition) Plan(now Instant, ahead int64, cost *Cost) (plan Plan) {
	var d demand
	d.Plan = &plan
	p.plan(now, cost, &d)
	if ahead > 0 && d.At < Never {
		d.Known = d.Known && !p.seen(cost.Route).fresh // what keeps those ahead back may not apply to it
		// A window that is nearly used up asks for a long gap now, not for all who wait.
		// What those who wait cost in other units than requests differs too much to say.
		requests := p.those(func(l *limit) bool { return l.unit == 0 })
		d.At = max(d.At, now).Add(scale(min(d.gap, p.interval(now, d.uses&requests)), float64(ahead)))
	}
	return plan
}

// plan sets d, which is empty but for its plan, and that: the latest of the gate, the limits and the places.
func (p *Partition) plan(now Instant, cost *Cost, d *demand) {
	held := p.gate.end()
	*d.Plan = Plan{At: held, Known: held > now, Age: Unknown}
	if d.by, d.opens = -1, held; p.live != 0 {
		d.uses = p.uses(cost)
	}
	for s := d.uses; s != 0; s = s.rest() {
		p.ask(now, cost, s.first(), d)
	}
	p.askAll(now, d)
	if p.cfg.Patience > 0 && d.At > now {
		p.look(now, cost, d)
	}
	if p.seen(cost.Route).fresh {
		p.probe(now, cost, d)
	}
	if alone := p.gate.isAlone() && !d.probe; !p.places.isFree(alone) {
		p.place(now, d)
	}
	d.Known = d.Known && (!d.more || d.by < 0)
	if d.At <= now {
		d.Cause = CauseNone
		return
	}
	p.explain(now, cost, d)
}

// ask adds to d what the limit at place i asks for.
func (p *Partition) ask(now Instant, cost *Cost, i int, d *demand) {
	l := &p.limits[i]
	m := l.moment(now)
	next := p.askLimit(m, cost, l)
	at, asking, held := next.opens, false, l.past().held
	if until := max(p.gate.end(), held); at > until && p.gate.precedes(l, i) {
		at, asking = until, true // one attempt; its answer tells more
	}
	at = max(at, held)
	if l.unanswered() && (asking || l.onlyAnswersTell(m) || l.costUnknown(cost)) { // one at a time is to find out how much there is
		at = max(at, l.past().last.Add(trickle))
	}
	d.opens = max(d.opens, at)
	d.Known = d.Known || at > 0
	d.burst = d.burst || !l.granted && l.unanswered() && p.InFlight() > 0
	at = max(at, next.at)
	more := at > now && l.allotted(now) != nil && !l.part.Full
	if more {
		at = min(at, max(held, min(now.Add(partWait), l.part.until)))
		more = at > held
	}
	d.gap = max(d.gap, l.perRequest(next.interval))
	if k := d.uses.rank(i); k < usualLimits {
		d.few[k] = next
	}
	if at > d.At {
		d.At, d.by, d.more = at, i, more
	}
}

// asked is what the limit l at place i asks for.
func (p *Partition) asked(now Instant, cost *Cost, i int, l *limit, d *demand) asked {
	if k := d.uses.rank(i); k < usualLimits {
		return d.few[k]
	}
	return p.askLimit(l.moment(now), cost, l)
}

// askLimit is the next slot, and when enough is there then.
func (p *Partition) askLimit(m moment, cost *Cost, l *limit) asked {
	now, longest := m.now, l.longest(m.now)
	next := asked{at: l.arrival.line, interval: min(interval(l.rate(m)), longest)}
	if next.interval > 0 {
		next.at = l.arrival.next(next.interval, longest, p.moved())
	}
	if next.at > now {
		m = l.moment(next.at)
	}
	if next.opens = l.opens(m, l.charge(cost)); next.opens > now {
		next.opens = next.opens.Add(as(p.gate).slack)
	}
	return next
}

// moved is the factor by which jitter moves the next slot.
func (p *Partition) moved() float64 { return 1 + p.cfg.jitter()*float64(p.jitter) }

// askAll adds what is asked of all requests alike: the pace that was found by trial,
// and the fastest that is believed.
func (p *Partition) askAll(now Instant, d *demand) {
	gap, owed := time.Duration(0), p.arrival
	if d.tried = p.trial.rules(now, d.gap); d.tried {
		gap, owed.owed = p.trial.gap(now), min(owed.owed, 1)
	} else if p.cfg.MaxRate > 0 {
		gap = interval(p.cfg.MaxRate / float64(time.Second))
	}
	if d.line = owed.line; gap > d.gap {
		d.gap, d.line = gap, owed.next(gap, max(gap, mostPause), p.moved())
	}
	d.Known = d.Known || !d.burst && (d.gap > 0 || d.line > now) // a slot that is ahead is that of a hold or a pace, if one of before
	if d.line > d.At {
		d.At, d.by = d.line, -1
	}
}

// place waits for a place in flight, as none is free.
func (p *Partition) place(now Instant, d *demand) {
	switch at := p.places.next(); {
	case at == Never && (d.opens <= now || d.probe):
		*d.Plan, d.by = Plan{At: Never, Cause: CausePlaces, Age: Unknown}, -1
	case at == Never: // nothing goes before what is known, place or not
	case at > d.At:
		d.At, d.by, d.probe, d.first, d.Cause = at, -1, false, false, p.placesCause()
		d.Known = d.Known || p.places.cut // by refusals
	}
}

// interval is the gap between usual requests at the nominal rates of these limits, times the
// shares, whatever is left now.
func (p *Partition) interval(now Instant, limits LimitSet) time.Duration {
	var gap time.Duration
	for _, l := range p.each(limits & p.live) {
		gap = max(gap, l.perRequest(min(interval(l.refill()*l.portion(now)), l.longest(now))))
	}
	if gap == 0 {
		gap = p.trial.gap(now)
	}
	return gap
}

// perRequest is a gap between units as one between usual requests.
func (l *limit) perRequest(gap time.Duration) time.Duration {
	if l.estimate == nil {
		return gap
	}
	return min(scale(gap, l.usualCost()), l.window)
}
