package pacer

import "time"

// MaxRoutes is the largest number of routes in one partition. A route is one kind of request, with its own
// set of limits. More: more memory. Fewer: different kinds share a route. The caller chooses the route
// numbers. They begin at 1, which is also the route of requests without a number.
const MaxRoutes = 64

// silentResponses is the number of responses in a row without a limit after which the limit is taken not to apply.
// Fewer: forgets limits that the server reports only sometimes. More: obeys limits that no longer exist.
const silentResponses = 3

// A route stores which limits do not apply to one kind of request. If the route has only one kind of request,
// one response with other limits proves it. Otherwise it takes silentResponses responses in a row.
//
// An example: "core" and "search" are known, and a response to /items reports only "core". Then "search" no
// longer applies to /items. If there were only one route, or the response reported no limit, "search" would
// apply until three responses in a row have left it out.
type route struct {
	spared LimitSet // limits that do not apply to the route
	told   LimitSet // limits that the last responses reported
	silent uint8    // number of these responses, each of which left out some limits that apply
	fresh  bool     // no response yet: all limits are taken to apply
	asked  bool     // a request was sent, but has no response yet
	said   bool     // a response has reported limits: new limits of other routes do not apply
	mixed  bool     // the route may contain several kinds of requests
}

// routes holds the other routes of a partition, and its probes.
type routes struct {
	others []route       // from number 2 on
	asked  Instant       // when a request of a fresh route was last sent
	next   Instant       // earliest time of the next probe
	back   time.Duration // backoff after the last probe without success
}

// seen returns the route of a number for reading only. An unknown number gives a fresh route.
func (p *Partition) seen(n uint8) *route {
	switch {
	case n <= 1 || n > MaxRoutes:
		return &p.anywhere
	case p.routes == nil || len(p.routes.others) < int(n)-1:
		return &route{fresh: true}
	}
	return &p.routes.others[n-2]
}

// route returns the route of a number for writing, and creates it if necessary.
func (p *Partition) route(n uint8) *route {
	if n <= 1 || n > MaxRoutes {
		return &p.anywhere
	}
	if p.routes == nil {
		p.routes = &routes{}
	}
	for len(p.routes.others) < int(n)-1 {
		p.routes.others = append(p.routes.others, route{fresh: true})
	}
	return &p.routes.others[n-2]
}

func (p *Partition) eachRoute(do func(r *route)) {
	do(&p.anywhere)
	if p.routes != nil {
		for i := range p.routes.others {
			do(&p.routes.others[i])
		}
	}
}

// Describe says that a route probably has the same limits as route like (0: as none). This counts until the
// route's first response. mixed says that several kinds of requests share the route from now on, so that no
// single response proves which limits apply. Other route numbers outside 1 to MaxRoutes stand for route 1.
func (p *Partition) Describe(route, like uint8, mixed bool) {
	other := *p.route(like)
	r := p.route(route)
	if like > 0 && r.fresh {
		r.spared, r.said, r.fresh = other.spared, other.said, other.fresh
	}
	r.mixed = r.mixed || mixed
}

// Uses returns the limits that may delay a request of that cost, and Everything. It is empty if the request
// may go as a probe, whatever delays others.
func (p *Partition) Uses(cost *Cost) LimitSet {
	if p.seen(cost.Route).fresh {
		return 0
	}
	return p.uses(cost) | Everything
}

// uses returns the limits that a request of that cost is expected to use.
func (p *Partition) uses(cost *Cost) LimitSet {
	s := p.live &^ p.seen(cost.Route).spared
	if s == 0 || cost.Requests != 0 && cost.Others == nil && cost.Key == "" {
		return s
	}
	key := ShortName(cost.Key)
	return s & p.limitsWhere(func(l *limit) bool { return cost.of(l.unit) != 0 && l.isOf(key) })
}

// applying returns the limits that now apply to a request that was sent. Of the limits that were known when
// it was sent, these are the ones that it was charged for.
func (p *Partition) applying(t *Ticket) LimitSet {
	all := p.live &^ p.seen(t.route).spared
	if all&^t.uses == 0 {
		return all
	}
	return all & (t.uses | p.limitsWhere(func(l *limit) bool { return t.seq <= l.born }))
}

// weigh updates a route with the limits that a response reports. isNews: the limits that are missing count as
// evidence, too.
func (p *Partition) weigh(now Instant, t *Ticket, told LimitSet, isNews bool) {
	r := p.route(t.route)
	for s := told; s != 0; s = s.rest() {
		told |= p.match(t.key, r, s.first())
	}
	r.spared &^= told
	if isNews {
		r.spared |= p.absent(now, t, r, told)
	}
	r.fresh, r.said = false, r.said || told != 0
	p.refund(now, t, r.spared)
	p.narrow(now, r)
}

// absent returns the limits that do not apply to a route, because a success does not report them. A response
// to an older request proves nothing about a limit that a later refusal holds.
func (p *Partition) absent(now Instant, t *Ticket, r *route, told LimitSet) LimitSet {
	absent := p.live &^ r.spared &^ told
	if absent == 0 {
		r.told, r.silent = 0, 0
		return 0
	}
	absent &^= p.limitsWhere(func(l *limit) bool { return l.held() > now && t.seq < l.seq })
	if g := p.gate; g != nil && g.until > now && t.seq <= g.since {
		absent &^= g.only
	}
	if absent != 0 && told != 0 && (r.fresh || p.routes != nil && !r.mixed) {
		return absent
	}
	r.told |= told
	if r.silent++; absent != 0 && r.silent < silentResponses {
		return 0
	}
	absent &^= r.told
	r.told, r.silent = 0, 0
	// A used-up or held limit still applies while no route reports it.
	return absent & p.limitsWhere(func(l *limit) bool { return l.remaining != 0 && l.held() <= now })
}

// narrow reduces a hold on everything to its limits, once a route is known that uses none of them.
func (p *Partition) narrow(now Instant, r *route) {
	g := p.gate
	if g == nil || g.until <= now || g.only == 0 || g.only&^r.spared != 0 {
		return
	}
	p.holdLimits(g.only, g.until, g.firm)
	p.comeBack(p.live&^g.only, now)
	p.arrival.grant(now, 0)
	g.until = now
}

// divided returns the limits that do not apply to some route.
func (p *Partition) divided() (all LimitSet) {
	p.eachRoute(func(r *route) { all |= r.spared })
	return all
}
