package pacer

import (
	"math"

	"github.com/headway-go/headway/pacer/internal/route"
)

// MaxRoutes is the largest number of routes in one partition. A route is one kind of request, with its own set of
// limits. More: more memory. Fewer: different kinds share a route. The caller chooses the route numbers. They begin at
// 1, which is also the route of requests without a number.
const MaxRoutes = route.Most

// routes holds the other routes of a partition, and its probes.
type routes struct {
	others []route.Route // from number 2 on
	probes route.Probes
}

// seen returns the route of a number. An unknown number gives a fresh route.
func (p *Partition) seen(n uint8) route.Route {
	if n <= 1 || n > MaxRoutes {
		return p.anywhere
	}
	if p.routes == nil || len(p.routes.others) < int(n)-1 {
		return route.Route{Fresh: true}
	}
	return p.routes.others[n-2]
}

// route returns the route of a number for writing, and creates it if necessary.
func (p *Partition) route(n uint8) *route.Route {
	if n <= 1 || n > MaxRoutes {
		return &p.anywhere
	}
	all := ensure(&p.routes)
	for len(all.others) < int(n)-1 {
		all.others = append(all.others, route.Route{Fresh: true})
	}
	return &all.others[n-2]
}

func (p *Partition) eachRoute(do func(r *route.Route)) {
	do(&p.anywhere)
	for i := range get(p.routes).others {
		do(&p.routes.others[i])
	}
}

// Describe says that a route probably has the same limits as route like (0: as none). This counts until the route's
// first response. mixed says that several kinds of requests share the route from now on, so that no single response
// proves which limits apply. Other route numbers outside 1 to MaxRoutes stand for route 1.
func (p *Partition) Describe(route, like uint8, mixed bool) {
	other := *p.route(like)
	r := p.route(route)
	if like > 0 && r.Fresh {
		r.Spared, r.Said, r.Fresh = other.Spared, other.Said, other.Fresh
	}
	r.Mixed = r.Mixed || mixed
}

// Uses returns the limits that may delay a request of that cost, and Everything. It is empty if the request may go as a
// probe, whatever delays others.
func (p *Partition) Uses(cost *Cost) LimitSet {
	if p.seen(cost.Route).Fresh {
		return 0
	}
	return p.uses(cost) | Everything
}

// uses returns the limits that a request of that cost is expected to use.
func (p *Partition) uses(cost *Cost) LimitSet {
	s := p.live &^ p.seen(cost.Route).Spared
	if s == 0 || cost.Requests != 0 && cost.Others == nil && cost.Key == "" {
		return s
	}
	key := ShortName(cost.Key)
	return s & p.limitsWhere(func(l *known) bool {
		return cost.of(l.unit) != 0 && (key == "" || !l.matched || l.id.Value().key == key)
	})
}

// applying returns the limits that now apply to a request that was sent. Of the limits that were known when it was
// sent, these are the ones that it was charged for.
func (p *Partition) applying(t *Ticket) LimitSet {
	all := p.live &^ p.seen(t.route).Spared
	if all&^t.uses == 0 {
		return all
	}
	return all & (t.uses | p.limitsWhere(func(l *known) bool { return t.seq <= l.born }))
}

// paced reports whether the server tells a pace for such requests.
func (p *Partition) paced(now float64, t *Ticket) bool {
	for _, l := range p.each(p.applying(t)) {
		if l.Usual(now, 1) > 0 {
			return true
		}
	}
	return false
}

// divided returns the limits that do not apply to some route.
func (p *Partition) divided() (all LimitSet) {
	p.eachRoute(func(r *route.Route) { all |= r.Spared })
	return all
}

// weigh updates a route with the limits that a response reports. isNews: the missing limits count as evidence, too. A
// response to an older request proves nothing about a limit that a later refusal holds. A used-up or held limit still
// applies while no route reports it. A hold on everything becomes one on its limits once a route uses none of them.
func (p *Partition) weigh(now float64, t *Ticket, told LimitSet, isNews bool) {
	r, h := p.route(t.route), p.hold
	for _, l := range p.each(told) {
		told |= p.match(t.key, r, l)
	}
	sure, spare := p.live, p.live
	if isNews && p.live&^r.Spared&^told != 0 {
		sure &^= p.limitsWhere(func(l *known) bool { return l.held > now && t.seq < l.seq })
		if h != nil && h.Until > now && t.seq <= h.Since {
			sure &^= h.only
		}
		spare = p.limitsWhere(func(l *known) bool { return l.Left() != 0 && l.held <= now })
	}
	r.Told(told, sure, spare, isNews, p.routes == nil)
	p.refund(now, t, r.Spared)
	if h == nil || h.Until <= now || h.only == 0 || h.only&^r.Spared != 0 {
		return
	}
	for i, l := range p.each(p.live) {
		if h.only.Meets(placeOf(i)) {
			l.hold(h.Until, h.Firm)
		} else {
			l.Line(now)
		}
	}
	p.line.Grant(now, 0)
	h.Until = now
}

// probePatience is the shortest delay in seconds for which a new route is probed, and how long a probe's response is
// awaited. Shorter: probes routes that are only slow. Longer: delays routes that may be free.
const probePatience = 5.0

// probe lets one request of a new route go early. The limits that the route seems to use may be used up or held for long,
// but it may use others. So one request at a time finds out. After each without success the time until the next one
// doubles. The first request of a new route goes alone: the route's own limits may be far smaller than the known ones.
//
// An example: /search is held for an hour when the first request to /items comes. That request may go at once. If it
// succeeds, /items is free. If it is refused, the next new route is probed half a second later, and the one after that a
// second later.
func (p *Partition) probe(now float64, cost *Cost, d *demand) {
	h, probes := get(p.hold), get(p.routes).probes
	at := math.Inf(1)
	switch {
	case h.Until > now && h.only == 0: // everything is held, and the reason is unknown
	case d.at-now > probePatience:
		at = probes.Next
	case cost.Since > 0: // other requests take every slot before it
		at = max(probes.Next, p.at(cost.Since)+probePatience)
	}
	if at < d.at {
		d.at, d.by, d.For, d.Cause, d.probe, d.look = at, -1, 0, CauseStart, true, false
	}
	if at := probes.Sent + answerWait; p.seen(cost.Route).Asked && at > max(d.at, now) {
		d.at, d.by, d.For, d.Cause, d.probe = at, -1, 0, CauseStart, false
	}
}
