package pacer

import (
	"slices"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer/internal/limit"
	"github.com/headway-go/headway/pacer/internal/refusal"
	"github.com/headway-go/headway/pacer/internal/route"
)

// learn adds or updates each limit that a response reports, updates the request's route, and drops expired limits. It
// returns the latest reset of the used-up limits; negative if none is reported.
func (p *Partition) learn(now float64, t *Ticket, a *Answer) (reset float64) {
	late := p.path.answered(now, now-t.sent)
	isNews := !a.Refused && !a.Indirect
	if isNews && !slices.ContainsFunc(a.Limits, isConcurrency) {
		p.places.Unadvertised()
	}
	if len(a.Limits) == 0 && p.live == 0 && p.isAlone() { // most servers
		p.anywhere.Fresh = false
		return -1
	}
	if a.Refused {
		p.unserved(t)
	}
	reported, reset := p.observeAll(now, late, t, a)
	p.unsure(t, p.live&^reported)
	p.weigh(now, t, reported, isNews)
	for i, l := range p.each(p.live &^ reported) {
		if l.over(now) && (!a.Indirect || now > l.Seen+forgetAfter) { // in an outage no response reports limits
			p.drop(i)
		}
	}
	return reset
}

func isConcurrency(l limits.Reported) bool { return l.Unit == limits.ConcurrentRequests }

// observeAll updates the limits that a response reports. It returns their set, and the latest reset of those used up.
func (p *Partition) observeAll(now, late float64, t *Ticket, a *Answer) (reported LimitSet, reset float64) {
	reset = -1
	for i := range a.Limits {
		in := &a.Limits[i]
		switch {
		case in.Unit == limits.ConcurrentRequests:
			p.places.Advertise(in.Quota, in.Remaining)
		case in.Quota == 0 && in.Remaining <= 0 && !a.Refused:
			// The request was served although the quota is zero, so the limit is not enforced.
		default:
			if i := p.find(now, t, in, a); i >= 0 {
				reported |= placeOf(i)
				if in.Cost > 0 && !a.Refused {
					p.correct(now, t, i, float64(min(in.Cost, MostCost)))
				}
				if t.seq >= p.limits[i].seq { // else a later request's response has come already
					p.update(now, late, t, i, in, a)
				}
			}
			if in.Remaining == 0 {
				reset = max(reset, in.Reset.Seconds())
			}
		}
	}
	return reported, reset
}

// update takes over what a response reports of the limit at place i.
func (p *Partition) update(now, late float64, t *Ticket, i int, in *limits.Reported, a *Answer) {
	l := &p.limits[i]
	r := limit.Reading{
		Sent: t.sent, Seen: t.sent + late, Refused: a.Refused, Left: float64(in.Remaining), Reset: in.Reset.Seconds(), Took: now - t.sent,
	}
	if r.Refused {
		r.Wait = a.RetryAfter.Seconds()
	}
	nth := p.relate(t, i, l, &r)
	isFirst := l.seq == 0
	l.seq, l.earlyRetry = t.seq, l.earlyRetry && t.seq <= p.hold.since
	l.Policy(float64(in.Quota), in.Window.Seconds(), r.Left, r.Reset)
	if in.Remaining >= 0 || l.Left < 0 {
		l.Hold.At = now
	}
	if in.Remaining >= 0 {
		l.settle(now, &r, nth, in.Cost > 0)
		l.Observe(&r)
	}
	switch {
	case a.Refused:
	case isFirst && l.IsPaced():
		p.trial = refusal.Trial{} // it found a rate that the server has not reported
	case !isFirst && now >= max(p.hold.Until, l.Hold.Until):
		l.Grant(now, p.cfg.burst(l.Quota))
	}
}

// relate sets which own units a reading of the limit l at place i includes. It returns the number of the request among
// those with estimated costs.
func (p *Partition) relate(t *Ticket, i int, l *known, r *limit.Reading) (nth uint32) {
	if c := t.of(l, i); c != nil {
		r.Cost, r.Units = c.cost, min(c.units+l.missed, l.Units)
		r.Ahead, r.Behind = l.Units-r.Units, float64(t.beside)*max(c.cost, 1)
		return c.nth
	}
	// It is unknown which of the later requests the response includes.
	r.Units = l.Units
	r.Ahead = float64(t.beside + int64(p.seq-t.seq))
	r.Behind = r.Ahead
	if l.Cost != nil {
		return l.Cost.Sent
	}
	if t.cost > 0 && !r.Refused { // it has used the limit without being charged
		l.Count(t.sent, 1)
		l.missed++
		r.Cost = 1
		r.Units = max(l.Mark+1, l.Units-r.Behind)
	}
	return 0
}

// correct corrects what a request was charged for the limit at place i to the cost that the server has told, and learns it.
// Later requests have used so many more units of the limit. A refused request has used none.
func (p *Partition) correct(now float64, t *Ticket, i int, cost float64) {
	l, charged := &p.limits[i], cost
	if c := t.of(l, i); c != nil {
		charged = c.cost
		l.Refund(now, c.units+l.missed, charged-cost)
		l.missed += cost - charged
		c.cost = cost
	}
	if l.Cost != nil {
		l.Cost.Correct(charged, cost)
	}
}

// settle learns the costs of requests up to the nth, if the caller can only estimate them and the server does not tell.
func (l *known) settle(now float64, r *limit.Reading, nth uint32, isExact bool) {
	if l.Cost == nil {
		return
	}
	n := float64(int32(nth - l.Cost.Reported))
	l.Cost.Reported = nth
	fall, back := l.Fall(now, r.Left)
	overtaken := r.Behind + l.Ahead
	if l.Left >= 0 && fall+back >= -overtaken && n > 0 && !r.Refused && !isExact { // a new window hides what was spent
		charged := r.Units - l.Mark
		l.Cost.Learn(n, charged, fall, back, l.PartShare(now))
		l.Line.Refund(now, max(0, charged-fall-back), l.Slot(now, 1).Interval)
	}
	r.Estimated = l.Cost.Part()
}

// unserved notes that a refused request has used nothing.
func (p *Partition) unserved(t *Ticket) {
	for i, l := range p.each(t.uses & p.live) {
		if c := t.of(l, i); c != nil && t.seq > l.seq && l.Cost == nil {
			l.Unserved(c.cost)
		}
	}
}

// unsure notes that the server may not have counted a request for the limits that its response does not report.
func (p *Partition) unsure(t *Ticket, unreported LimitSet) {
	for _, l := range p.each(t.uses & unreported) {
		if t.seq > l.seq {
			l.Ahead++
		}
	}
}

// find returns the place of the limit that in reports; −1 if there is no room for its unit. It adds the limit if
// necessary. A new client may then send one request at once, and the rest of its burst after the second reading, which
// shows whether others have just started. There is no burst after a refusal, nor if the route has reported limits
// before: a server that reports ever new limits would get a burst for each.
func (p *Partition) find(now float64, t *Ticket, in *limits.Reported, a *Answer) int {
	unit, ok := p.unit(in.Unit)
	if !ok {
		return -1
	}
	for s := p.live; s != 0; s = s.Rest() {
		if i := s.First(); p.limits[i].is(in, unit) {
			return i
		}
	}
	made := newKnown(now, p.seq, identity{in.Policy, in.PartitionKey}, unit)
	switch {
	case a.Refused, p.route(t.route).HasReported:
		made.NoBurst(now)
	case p.awaits:
		made.Await(now + partWait)
	}
	place := p.add(made)
	own := p.route(t.route)
	p.eachRoute(func(r *route.Route) {
		if r.HasReported && !a.Refused || a.OnlyRoute && r != own {
			r.Exempt |= placeOf(place)
		}
	})
	if a.OnlyRoute {
		p.own |= placeOf(place)
	}
	return place
}

// add stores a limit and returns its place. If all places are in use, it replaces another one.
func (p *Partition) add(l known) int {
	i := (^p.live).First()
	switch {
	case i == maxLimits:
		i = p.replaced()
		p.drop(i)
	case i == len(p.limits):
		p.limits = append(p.limits, known{})
	}
	p.limits[i] = l
	p.live |= placeOf(i)
	return i
}

// replaced returns the place of the limit that the next one replaces if all are in use. It is the one whose hold ends
// first, and of those without a hold the one with the oldest report.
func (p *Partition) replaced() (i int) {
	for k := range p.limits {
		a, b := &p.limits[k], &p.limits[i]
		if until, least := max(a.Hold.Until, p.latest), max(b.Hold.Until, p.latest); until < least || until == least && a.seq < b.seq {
			i = k
		}
	}
	return i
}

// drop forgets the limit at place i.
func (p *Partition) drop(i int) {
	p.limits[i] = known{}
	p.live &^= placeOf(i)
	p.hold.about &^= placeOf(i)
	p.own &^= placeOf(i)
	p.eachRoute(func(r *route.Route) { r.Exempt &^= placeOf(i) })
}

// refund cancels a request's charges of limits that it has not used.
func (p *Partition) refund(now float64, t *Ticket, unused LimitSet) {
	for i, l := range p.each(unused & t.uses & p.live) {
		if c := t.of(l, i); c != nil {
			l.Refund(now, c.units+l.missed, c.cost)
			if l.Cost != nil {
				l.Cost.Undo(c.nth)
			}
		}
	}
	t.uses &^= unused // a trailer or a report may follow
}
