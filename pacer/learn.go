package pacer

import (
	"time"

	"github.com/headway-go/headway/limits"
)

// learn takes in the limits that an answer tells of. Those that it does not mention and that are
// over are forgotten. It returns when all that are used up have units again; Unknown if that is not told.
func (p *Partition) learn(now Instant, t *Ticket, a *Answer) (reset time.Duration) {
	reset = Unknown
	isNews := !a.Refused && !a.Indirect
	if len(a.Limits) == 0 && p.live == 0 && p.routes == nil { // as of most servers
		p.anywhere.fresh = false
		if isNews {
			p.places.unadvertised()
		}
		return reset
	}
	var told LimitSet
	concurrent := false
	for i := range a.Limits {
		in := withShortNames(&a.Limits[i])
		switch {
		case in.Unit == limits.ConcurrentRequests:
			concurrent = true
			p.places.advertise(in)
		case in.Quota == 0 && in.Remaining <= 0 && !a.Refused:
			// The request was served, so this limit does not limit.
		default:
			of, ends := p.tell(now, t, in, a)
			if told |= of; in.Remaining == 0 {
				reset = max(reset, ends)
			}
		}
	}
	p.unsure(t, p.live&^told)
	p.weigh(now, t, told, isNews)
	for i, l := range p.each(p.live &^ told) {
		if l.over(now) && (!a.Indirect || now > l.at.Add(memory)) { // in an outage nothing tells of it
			p.drop(i)
		}
	}
	if !concurrent && isNews {
		p.places.unadvertised()
	}
	return reset
}

// tell takes in what an answer tells of one limit, unless the answer to a later request
// has come before it. It returns the set of that limit (empty: it counts one unit too many) and its reset, in time.
func (p *Partition) tell(now Instant, t *Ticket, in *limits.Told, a *Answer) (LimitSet, time.Duration) {
	unit, ok := p.unit(in.Unit)
	if !ok {
		return 0, in.Reset
	}
	i := p.find(now, t, in, unit, a.Refused)
	l := &p.limits[i]
	l.lapse(now)
	if t.seq < l.seq {
		return placeOf(i), l.reset.inTime(&l.account, in)
	}
	r := reading{sent: t.sent, refused: a.Refused, wait: a.RetryAfter, cfg: p.cfg}
	if isKnown := r.of(t, l, i, p.seq); !isKnown && l.estimate == nil && t.cost > 0 { // it has used it all the same
		l.account.take(now, l.moment(now).index, 1)
		l.missed++
		r.cost, r.units = 1, max(l.mark+1, l.units-r.behind)
	}
	if l.estimate != nil {
		l.settle(now, r.units, r.nth, in, a.Refused)
	}
	isFirst := l.seq == 0
	l.seq = t.seq
	l.observe(now, in, &r)
	if !isFirst && !a.Refused && !l.granted && now >= max(p.gate.end(), l.past().held) {
		m := l.moment(now)
		l.granted = true
		l.arrival.line = min(l.arrival.line, now.Add(-scale(l.interval(m), l.credit(m, p.cfg))))
	}
	return placeOf(i), l.reset.inTime(&l.account, in)
}

// unsure notes of the limits that a request was charged of, and its answer has not told of,
// that the server may not have counted it.
func (p *Partition) unsure(t *Ticket, untold LimitSet) {
	for _, l := range p.each(t.uses & untold) {
		if t.seq > l.seq {
			l.ahead++
		}
	}
}

// find returns the place of the limit that in tells of, which counts that unit. If need be it is
// made, and a fresh client is given its idle credit: one request now, and the rest with the second
// reading, which shows whether others have just started as well. There is none after a
// refusal, nor where answers to the route have told of limits before: a server that tells of ever new
// ones would be sent a burst for each.
//
// Say q = 100, and that the first answer tells r = 99. One request may go at once. If the
// answer to that tells r = 98, nine more may.
func (p *Partition) find(now Instant, t *Ticket, in *limits.Told, unit uint8, refused bool) int {
	for s := p.live; s != 0; s = s.rest() {
		if i := s.first(); p.limits[i].is(in, unit) {
			return i
		}
	}
	made := newLimit(p.seq, identity{in.Policy, in.PartitionKey}, unit)
	made.matched = p.those(func(l *limit) bool { return l.matched && l.unit == unit && l.policyName() == in.Policy }) != 0
	made.arrival.line = now
	switch {
	case refused, p.route(t.route).said:
		made.granted, made.arrival.owed = true, 1
	case p.cfg.Shared:
		made.granted = true
		made.await(now)
	}
	place := p.add(made)
	p.eachRoute(func(r *route) {
		if r.said && !refused {
			r.spared |= placeOf(place)
		}
	})
	return place
}

// add keeps a limit, if need be instead of the one told of longest ago, and returns its
// place.
func (p *Partition) add(l limit) int {
	i := (^p.live).first()
	switch {
	case i == maxLimits:
		i = 0
		for k := range p.limits {
			if p.limits[k].seq < p.limits[i].seq {
				i = k
			}
		}
		p.drop(i)
	case i == len(p.limits):
		p.limits = append(p.limits, limit{})
	}
	p.limits[i] = l
	p.live |= placeOf(i)
	return i
}

// drop forgets the limit at place i.
func (p *Partition) drop(i int) {
	p.limits[i] = limit{}
	p.live &^= placeOf(i)
	if p.gate != nil {
		p.gate.only &^= placeOf(i)
	}
	p.eachRoute(func(r *route) { r.spared &^= placeOf(i) })
}

// refund takes back what a request was charged of limits that it turns out not to have used.
func (p *Partition) refund(now Instant, t *Ticket, unused LimitSet) {
	for i, l := range p.each(unused & t.uses & p.live) {
		if c := t.of(l, i); c != nil {
			l.untake(now, c)
		}
	}
}
