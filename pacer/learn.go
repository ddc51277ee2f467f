package pacer

// firstGrants is in how many parts a fresh client is given its idle credit.
const firstGrants = 2

// learn takes in the limits that an answer tells of.
func (p *Partition) learn(now Instant, t *Ticket, a *Answer, u float64) {
	isNews := !a.Refused && !a.Indirect
	if len(a.Limits) == 0 && p.live == 0 && p.routes == nil { // as with most servers
		if isNews {
			p.places.unadvertised()
		}
		return
	}
	var told LimitSet
	concurrent := false
	for i := range a.Limits {
		switch in := &a.Limits[i]; {
		case in.Unit == ConcurrentRequests:
			concurrent = true
			p.places.advertise(in)
		case in.Quota == 0 && in.Remaining <= 0 && !a.Refused:
			// The request was served, so this limit does not limit.
		default:
			told |= p.tell(now, t, in, a, u)
		}
	}
	if !a.Refused && told != 0 && now >= p.gate.until {
		p.grant(now, p.route(t.route), told)
	}
	p.unsure(t)
	p.weigh(now, t, told, a.Refused, isNews)
	p.forget(now, told)
	if !concurrent && isNews {
		p.places.unadvertised()
	}
}

// tell takes in what an answer tells of one limit, unless the answer to a later request
// has come before it. It returns the set of that limit; empty: it counts one unit too many.
func (p *Partition) tell(now Instant, t *Ticket, in *Limit, a *Answer, u float64) LimitSet {
	refused := a.Refused
	i := p.limit(now, in, refused)
	if i < 0 {
		return 0
	}
	l := &p.limits[i]
	l.lapse(now)
	l.shown = l.shown || !refused
	if t.seq < l.seq {
		return placeOf(i)
	}
	c := t.charged(l, i, p.seq)
	if t.of(l, i) == nil && l.estimate == nil && !t.free { // it has used it all the same
		l.account.take(now, 1)
		l.late++
		c.cost, c.units = 1, max(l.mark+1, l.units-c.beside)
	}
	if l.estimate != nil {
		l.settle(now, c.units, c.nth, in, refused)
	}
	l.observe(now, t, in, c, refused, a.RetryAfter, u)
	return placeOf(i)
}

// unsure notes of the limits that a request was charged of, and its answer has not told of,
// that the server may not have counted it.
func (p *Partition) unsure(t *Ticket) {
	for s := t.uses & p.live; s != 0; s = s.rest() {
		if l := &p.limits[s.first()]; t.seq > l.seq && t.uses != 0 {
			l.early++
		}
	}
}

// grant gives a fresh client its idle credit, too: one request with the first reading of
// a limit, and the rest with the second, which shows whether others have just started as
// well. Each route has but two such readings, or a server that tells of ever new limits
// would be sent a burst for each.
func (p *Partition) grant(now Instant, r *route, told LimitSet) {
	granted := false
	for s := told; s != 0; s = s.rest() {
		l := &p.limits[s.first()]
		if l.grants == firstGrants || now < l.held {
			continue
		}
		l.grants++
		switch {
		case p.cfg.Shared:
			if l.grants = firstGrants; r.grants == 0 && l.part == nil {
				l.await(now)
			}
		case r.grants == firstGrants:
			l.arrival.line, l.arrival.owed = now, 1
			l.grants = firstGrants
			continue
		case l.grants == 1:
			l.arrival.grant(now, 0)
		default:
			l.arrival.line = min(l.arrival.line, now.Add(-scale(l.interval(now), l.credit(now, p.cfg))))
		}
		granted = true
	}
	if granted {
		r.grants++
	}
}

// limit finds the place of the limit that in tells of, or makes it. −1: it counts one
// unit too many.
func (p *Partition) limit(now Instant, in *Limit, refused bool) int {
	unit, ok := p.unit(in.Unit)
	if !ok {
		return -1
	}
	for s := p.live; s != 0; s = s.rest() {
		if p.limits[s.first()].is(in, unit) {
			return s.first()
		}
	}
	i := p.add(p.room(now), newLimit(p.seq, identity{in.Policy, in.PartitionKey}, unit))
	if !refused {
		p.spareNew(placeOf(i))
	}
	for s := p.siblings(i); s != 0; s = s.rest() {
		p.limits[i].matched = p.limits[i].matched || p.limits[s.first()].matched
	}
	return i
}

// room returns a place for one more limit: if need be that of the one told of longest
// ago, but sooner that of one which is over, or has been expected and not told of.
func (p *Partition) room(now Instant) int {
	if i := (^p.live).first(); i < maxLimits {
		return i
	}
	oldest := 0
	for i := range p.limits {
		l := &p.limits[i]
		if l.over(now) || l.remaining == Unknown && l.matched {
			return i
		}
		if l.seq < p.limits[oldest].seq {
			oldest = i
		}
	}
	return oldest
}

// add keeps a limit at place i, and forgets what was there, if anything.
func (p *Partition) add(i int, l limit) int {
	if i < len(p.limits) {
		p.drop(i)
		p.limits[i] = l
	} else {
		p.limits = append(p.limits, l)
	}
	p.live |= placeOf(i)
	return i
}

// drop forgets the limit at place i.
func (p *Partition) drop(i int) {
	p.limits[i] = limit{}
	p.live &^= placeOf(i)
	p.gate.only &^= placeOf(i)
	p.forgetPlace(placeOf(i))
}

// forget drops the limits that are over and that the newest answer does not
// mention any more. A refusal often comes without the fields that others have,
// and so does what a gateway or a cache answers; these are no news.
func (p *Partition) forget(now Instant, told LimitSet) {
	for s := p.live &^ told; s != 0; s = s.rest() {
		if i := s.first(); p.limits[i].over(now) {
			p.drop(i)
		}
	}
}
