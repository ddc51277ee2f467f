package pacer

import "time"

// A need is what holds and limits ask of one request at one moment: how its plan
// came about, and what sending it goes by.
type need struct {
	Plan

	uses   LimitSet
	by     int           // the limit that decides when; −1: none does
	closed Instant       // until when it is kept back, were it not for the pace
	gap    time.Duration // the longest interval between usual requests that is asked for; 0: none is known
	wobble float64       // factor of the next slot's interval
	slots  [usualLimits]slot
	line   Instant // the next slot on the partition's own pace line
	tried  bool    // the pace is one found by trial, because what limits tell is not all
	probe  bool
	first  bool // it waits for the first answer of its route
	more   bool // this client may be told a larger part of the limit that decides
}

// A slot is the place of the next request on a pace line.
type slot struct {
	at     Instant
	gap    time.Duration // to the one after it
	credit time.Duration // how far the line may lag behind now: what an idle client has saved up
}

// Plan says when a request of the given cost may be sent if requests that cost
// ahead in all are sent before it. With ahead 0 the answer is exact: Send may
// be called once now has reached At (if no place is free then, the next Plan
// says so). With more it is an estimate. ahead is in requests; cost must not be
// nil, and is neither kept nor written to, here as in Send and Take.
func (p *Partition) Plan(now Instant, ahead int64, cost *Cost) Plan {
	var n need
	p.plan(now, cost, &n)
	if ahead > 0 && n.At < Never {
		n.Known = n.Known && !p.isNew(cost.Route) // what keeps those ahead back may not apply to it
		// A window that is nearly used up asks for a long gap now, not for all who wait.
		n.At = max(n.At, now).Add(scale(min(n.gap, p.requestInterval(n.uses)), float64(ahead)))
	}
	return n.Plan
}

// plan sets n, which is empty.
func (p *Partition) plan(now Instant, cost *Cost, n *need) {
	n.uses, n.by, n.wobble = p.uses(cost), -1, 1+p.cfg.jitter()*float64(p.swing)
	n.At, n.closed, n.Known = p.hold.until, p.hold.until, p.hold.until > now
	for s, k := n.uses, 0; s != 0; s, k = s.rest(), k+1 {
		p.ask(now, cost, s.first(), k, n)
	}
	p.askAll(n)
	if n.At > now && p.isNew(cost.Route) && (p.hold.until <= now || p.hold.only != 0) {
		p.probe(now, n) // a hold of unknown reason is for all
	}
	if p.isNew(cost.Route) {
		p.awaitFirst(now, cost.Route, n)
	}
	p.place(now, n)
	n.Known = n.Known && (!n.more || n.by < 0)
	n.Age = Unknown
	if n.At <= now {
		n.Cause = CauseNone
		return
	}
	p.explain(now, n)
}

// ask adds to n what the limit at place i asks for, the k-th that the request uses.
func (p *Partition) ask(now Instant, cost *Cost, i, k int, n *need) {
	l, slack := &p.limits[i], p.hold.slack()
	l.lapse(now, p.cfg)
	l.roll(now, slack)
	at, asking := l.floor(now, l.charge(cost), slack), l.asks() || l.costUnknown(cost)
	if until := max(p.hold.until, l.held); at > until && p.hold.precedes(l, i) {
		at, asking = until, true // one attempt; its answer tells more
	}
	at = max(at, l.held)
	if asking && l.unanswered() { // one at a time is to find out how much there is
		at = max(at, l.last.Add(trickle))
	}
	l.opened = max(l.opened, at)
	n.closed = max(n.closed, at)
	n.Known = n.Known || at > 0
	gap := l.gap(now)
	next := l.slot(gap, n.wobble, p.cfg)
	at = max(at, next.at)
	more := l.isPartial() && at > now
	if more {
		at = min(at, max(l.held, min(now.Add(partWait), l.part().until)))
		more = at > l.held
	}
	n.gap = max(n.gap, l.perRequest(gap))
	if k < usualLimits {
		n.slots[k] = next
	}
	if at > n.At {
		n.At, n.by, n.more = at, i, more
	}
}

// askAll adds what is asked of all requests alike: the pace that was found by trial,
// and the fastest that is believed.
func (p *Partition) askAll(n *need) {
	gap, owed := time.Duration(0), float64(p.owed)
	switch {
	case p.trial.rules(n.gap):
		gap, owed, n.tried = p.trial.gap(), min(owed, 1), true
	case p.cfg.tooFast(n.gap):
		gap = p.cfg.leastGap()
	}
	n.gap = max(n.gap, gap)
	n.Known = n.Known || n.gap > 0
	n.line = p.base.Add(scale(gap, n.wobble*owed))
	if n.line > n.At {
		n.At, n.by = n.line, -1
	}
}

// place waits for a place in flight.
func (p *Partition) place(now Instant, n *need) {
	switch at := p.places.next(!n.probe && p.hold.alone); {
	case at == Never && (n.closed <= now || n.probe):
		n.Plan, n.by = Plan{At: Never, Cause: CausePlaces}, -1
	case at == Never: // nothing goes before what is known, place or not
	case at > n.At:
		n.At, n.by, n.probe, n.first, n.Cause = at, -1, false, false, p.placesCause()
	}
}

// slot is the next one on the pace line of the limit at place i, the k-th that the
// request uses.
func (p *Partition) slot(now Instant, i, k int, n *need) slot {
	if k < usualLimits {
		return n.slots[k]
	}
	l := &p.limits[i]
	return l.slot(l.gap(now), n.wobble, p.cfg)
}

// send records that a request goes to the wire that needs n, which was planned for now.
func (p *Partition) send(now Instant, cost *Cost, u float64, n *need, t *Ticket) {
	if cost.Key != "" && p.expect(now, cost.Key) {
		*n = need{}
		p.plan(now, cost, n)
	}
	p.seq++
	t.sent, t.seq, t.beside = now, p.seq, p.places.busy
	t.route, t.key, t.probe = cost.Route, cost.Key, n.probe
	t.uses, t.more = n.uses, nil
	for s, k := n.uses, 0; s != 0; s, k = s.rest(), k+1 {
		l, next := &p.limits[s.first()], p.slot(now, s.first(), k, n)
		if n.tried {
			next.credit = 0
		}
		if n.probe {
			next.at = min(next.at, max(l.base, now))
		}
		l.take(now, l.charge(cost), next, p.cfg.Measured, t.next(k))
	}
	t.step, t.owed = n.line.Sub(p.base), p.owed
	if p.base = now; t.step > 0 {
		p.base = max(n.line, now)
	}
	p.owed, p.swing = float32(cost.requests()), float32(2*u-1)
	p.own.sent(cost.requests(), p.trial.since(now))
	p.trial.sent(now, p.hold.until, n.gap)
	p.places.sent(now)
	if p.routes != nil {
		p.sentBy(now, cost.Route, n.probe)
	}
}
