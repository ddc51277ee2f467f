package pacer

import "time"

// A Plan says when a request may go: at the latest of the times that gate, limits, trial and places ask for.
type Plan struct {
	// At is the earliest time. Not after now: at once. Never: only when another request is released.
	At Instant
	// Policy is the ShortName of the policy that the request waits for; "" if it waits for none, or the
	// policy has no name.
	Policy string
	// For says what the request waits for: the deciding limit, and the limits whose next slots would come too late if
	// another request took one first. It is Everything if no limit decides. It is empty if the request may go at
	// once, or waits for the first response of its route or for a probe. Requests ahead do not change it.
	For LimitSet
	// Cause says why the request waits.
	Cause Cause
	// Age is the time since the ToldAt of the deciding limit, see LimitState; Unknown without such a limit or
	// report. It is meaningful only if the request waits.
	Age time.Duration
	// Known is false if At is only a precaution at a server whose limits are not known yet.
	Known bool
}

// A demand is a plan with the values that led to it. send uses them, too.
type demand struct {
	*Plan

	uses  LimitSet
	by    int           // the deciding limit; −1: none
	opens Instant       // when the request could go if only holds and units counted, not the pace
	gap   time.Duration // longest interval between usual requests; 0: none known
	few   [usualLimits]asked
	line  Instant // next slot of the partition as a whole
	tried bool    // a trial sets the pace, if it has one: no limit gives a pace, or the reported limits are not complete
	probe bool
	look  bool // it goes as a second look
	first bool // it waits for the first response of its route
	more  bool // a larger part of the deciding limit may be allotted
	burst bool // a new client's first burst may begin with the response to a request in flight
}

// asked is what one limit asks of a request: the next slot of its pace, and the time at which enough units are there.
type asked struct {
	at       Instant       // theoretical arrival time
	interval time.Duration // to the next one; 0: unknown
	opens    Instant       // when enough units are there
}

// Plan returns when a request of that cost may go, and changes nothing. ahead is the cost, in requests, of all that
// go before it. With ahead 0, plan again at plan.At, and then call Send. In about one case of a hundred the new plan
// is later, because no place is free or fewer units came back than expected. With more ahead the plan is an
// estimate. cost must not be nil. As in Send and Take, it is neither kept nor modified.
func (p *Partition) Plan(now Instant, ahead int64, cost *Cost) (plan Plan) {
	var d demand
	d.Plan = &plan
	p.plan(now, cost, &d)
	if ahead > 0 && d.At < Never {
		d.Known = d.Known && !p.seen(cost.Route).fresh // what the requests ahead wait for may not apply to this route
		// A nearly used-up window has a long gap now, but the requests ahead will not all need it. Their
		// costs in other units than requests vary too much for an estimate.
		requests := p.limitsWhere(func(l *limit) bool { return l.unit == 0 })
		d.At = max(d.At, now).Add(scale(min(d.gap, p.interval(now, d.uses&requests)), float64(ahead)))
	}
	return plan
}

// plan sets an empty d and its Plan to the latest of gate, limits and places.
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

// ask adds what the limit at index i asks for to d, including the limit's hold.
func (p *Partition) ask(now Instant, cost *Cost, i int, d *demand) {
	l := &p.limits[i]
	m := l.moment(now)
	next := p.askLimit(m, cost, l)
	at, asking, held := next.opens, false, l.held()
	if until := max(p.gate.end(), held); at > until && p.gate.precedes(l, i) {
		at, asking = until, true // one attempt, whose response shows more
	}
	at = max(at, held)
	if l.unanswered() && (asking || l.onlyAnswersTell(m) || l.costUnknown(cost)) { // one request at a time finds out how many units there are
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

// asked returns what the limit l at index i asks for. ask has stored it for the first limits of a request.
func (p *Partition) asked(now Instant, cost *Cost, i int, l *limit, d *demand) asked {
	if k := d.uses.rank(i); k < usualLimits {
		return d.few[k]
	}
	return p.askLimit(l.moment(now), cost, l)
}

// askLimit computes what a limit asks for at that moment.
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
		next.opens = next.opens.Add(valueOf(p.gate).slack)
	}
	return next
}

// moved returns the factor by which jitter changes the next interval.
func (p *Partition) moved() float64 { return 1 + p.cfg.jitter()*float64(p.jitter) }

// askAll adds to d what does not depend on limits: the rate of a trial, and MaxRate.
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
	d.Known = d.Known || !d.burst && (d.gap > 0 || d.line > now) // a slot in the future is from a hold or an earlier pace
	if d.line > d.At {
		d.At, d.by = d.line, -1
	}
}

// place makes the request wait for a place, because none is free.
func (p *Partition) place(now Instant, d *demand) {
	switch at := p.places.next(); {
	case at == Never && (d.opens <= now || d.probe):
		*d.Plan, d.by = Plan{At: Never, Cause: CausePlaces, Age: Unknown}, -1
	case at == Never: // the earlier time counts first, even without a place
	case at > d.At:
		d.At, d.by, d.probe, d.first, d.Cause = at, -1, false, false, p.placesCause()
		d.Known = d.Known || p.places.cut // by refusals
	}
}

// interval returns the gap between usual requests at the nominal rates of these limits times the shares,
// whatever the remaining quota.
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

// perRequest turns a gap between units into one between usual requests.
func (l *limit) perRequest(gap time.Duration) time.Duration {
	if l.estimate == nil {
		return gap
	}
	return min(scale(gap, l.usualCost()), l.window)
}
