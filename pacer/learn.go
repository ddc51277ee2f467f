package pacer

import (
	"time"

	"github.com/headway-go/headway/limits"
)

// learn updates a partition's set of limits with a response. It adds or updates each reported limit, updates the
// request's route, and drops expired limits that are not reported. It returns the latest reset of the used-up
// limits; Unknown if none is reported.
func (p *Partition) learn(now Instant, t *Ticket, a *Answer) (reset time.Duration) {
	reset = Unknown
	isNews := !a.Refused && !a.Indirect
	if len(a.Limits) == 0 && p.live == 0 && p.routes == nil { // most servers
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
			// The request was served although the quota is zero, so the limit is not enforced.
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
		if l.over(now) && (!a.Indirect || now > l.at.Add(forgetAfter)) { // in an outage no response reports limits
			p.drop(i)
		}
	}
	if !concurrent && isNews {
		p.places.unadvertised()
	}
	return reset
}

// tell updates one limit with a report, unless a later request's response has come already. It returns the
// set of that limit and its reset. The set is empty if the partition has no room for its unit.
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
	if isKnown := r.of(t, l, i, p.seq); !isKnown && l.estimate == nil && t.cost > 0 { // it has used the limit without being charged
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
	if !isFirst && !a.Refused && !l.granted && now >= max(p.gate.end(), l.held()) {
		m := l.moment(now)
		l.granted = true
		l.arrival.line = min(l.arrival.line, now.Add(-scale(l.interval(m), l.credit(m, p.cfg))))
	}
	return placeOf(i), l.reset.inTime(&l.account, in)
}

// unsure notes that the server may not have counted a request for the limits that its response does not report.
func (p *Partition) unsure(t *Ticket, untold LimitSet) {
	for _, l := range p.each(t.uses & untold) {
		if t.seq > l.seq {
			l.ahead++
		}
	}
}

// find returns the place of the limit that in reports. It adds the limit if necessary. A new client may then
// send one request at once, and the rest of its burst after the second reading, which shows whether other
// clients have just started as well. There is no burst after a refusal. Nor is there one if responses to the
// route have reported limits before: a server that reports ever new limits would get a burst for each.
//
// An example with q = 100: the first response reports r = 99, and one request may go at once. If its response
// reports r = 98, nine more may go.
func (p *Partition) find(now Instant, t *Ticket, in *limits.Told, unit uint8, refused bool) int {
	for s := p.live; s != 0; s = s.rest() {
		if i := s.first(); p.limits[i].is(in, unit) {
			return i
		}
	}
	made := newLimit(p.seq, identity{in.Policy, in.PartitionKey}, unit)
	made.matched = p.limitsWhere(func(l *limit) bool { return l.matched && l.unit == unit && l.policyName() == in.Policy }) != 0
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

// add stores a limit and returns its place. If all places are in use, it replaces the limit with the oldest report.
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

// refund cancels a request's charges of limits that it has not used.
func (p *Partition) refund(now Instant, t *Ticket, unused LimitSet) {
	for i, l := range p.each(unused & t.uses & p.live) {
		if c := t.of(l, i); c != nil {
			l.uncharge(now, c)
		}
	}
}
