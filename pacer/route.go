package pacer

import (
	"math"

	"github.com/headway-go/headway/pacer/internal/refusal"
	"github.com/headway-go/headway/pacer/internal/route"
)

// MaxRoutes is the largest number of routes in one partition. A route is one kind of request, with its own set of
// limits. More: more memory. Fewer: different kinds share a route. The caller chooses the route numbers. They begin at
// 1, which is also the route of requests without a number.
const MaxRoutes = route.Most

// routes are the routes of a partition.
type routes struct {
	anywhere route.Route   // of requests without a number
	others   []route.Route // from number 2 on
	own      LimitSet      // limits from which a new route is exempt, see Answer.OnlyRoute
	freshAt  float64       // when a request of a new route was last sent
	alike    uint8         // new routes in a row to which all known limits apply
}

// isAlone reports whether there is no other route.
func (r *routes) isAlone() bool { return len(r.others) == 0 }

// seen returns the route of a number. An unknown number gives a fresh route.
func (p *Partition) seen(n uint8) route.Route {
	if n <= 1 || n > MaxRoutes {
		return p.anywhere
	}
	if len(p.others) < int(n)-1 {
		return route.Route{Fresh: true, Exempt: p.own}
	}
	return p.others[n-2]
}

// route returns the route of a number for writing, and creates it if necessary.
func (p *Partition) route(n uint8) *route.Route {
	if n <= 1 || n > MaxRoutes {
		return &p.anywhere
	}
	for len(p.others) < int(n)-1 {
		p.others = append(p.others, route.Route{Fresh: true, Exempt: p.own})
	}
	return &p.others[n-2]
}

func (p *Partition) eachRoute(do func(r *route.Route)) {
	do(&p.anywhere)
	for i := range p.others {
		do(&p.others[i])
	}
}

// Describe says that a route probably has the same limits as route like (0: as none). This counts until the route's
// first response. mixed says that several kinds of requests share the route from now on, so that no single response
// proves which limits apply. Other route numbers outside 1 to MaxRoutes stand for route 1.
func (p *Partition) Describe(route, like uint8, mixed bool) {
	other := *p.route(like)
	r := p.route(route)
	if like > 0 && r.Fresh {
		r.Exempt, r.HasReported, r.Fresh = other.Exempt, other.HasReported, other.Fresh
	}
	r.Mixed = r.Mixed || mixed
}

// Uses returns the limits that may delay a request of that cost, and Everything. It is empty for a new route, as its
// first request may go whatever delays others.
func (p *Partition) Uses(cost *Cost) LimitSet {
	if p.seen(cost.Route).Fresh {
		return 0
	}
	return p.uses(cost) | Everything
}

// uses returns the limits that a request of that cost is expected to use.
func (p *Partition) uses(cost *Cost) LimitSet {
	s := p.live &^ p.seen(cost.Route).Exempt
	if s == 0 || cost.Requests != 0 && cost.Others == nil {
		return s
	}
	return s & p.limitsWhere(func(l *known) bool { return cost.of(l.Unit) != 0 })
}

// applying returns the limits that now apply to a request that was sent. Of the limits that were known when it was
// sent, these are the ones that it was charged for. Of a new route none is known.
func (p *Partition) applying(t *Ticket) LimitSet {
	r := p.seen(t.route)
	if r.Fresh {
		return 0
	}
	all := p.live &^ r.Exempt
	if all&^t.uses == 0 {
		return all
	}
	return all & (t.uses | p.limitsWhere(func(l *known) bool { return t.seq <= l.born }))
}

// paced reports whether the server reports a pace for such requests.
func (p *Partition) paced(t *Ticket) bool {
	for _, l := range p.each(p.applying(t)) {
		if l.IsPaced() {
			return true
		}
	}
	return false
}

// weigh updates a route with the limits that a response reports. A server may have one quota of a policy for each user or
// project, named by a partition key (draft-10 §4.1.4): the route uses the one that was reported last. isNews: the missing
// limits count as evidence, too. A response to an older request proves nothing about a limit that a later refusal holds. A
// used-up or held limit still applies while no route reports it.
func (p *Partition) weigh(now float64, t *Ticket, reported LimitSet, isNews bool) {
	r := p.route(t.route)
	for _, l := range p.each(reported) {
		if l.Name.Key != "" {
			r.Exempt |= p.limitsWhere(func(o *known) bool { return o.Unit == l.Unit && o.Name.Policy == l.Name.Policy })
		}
	}
	sure, droppable := p.live, p.live
	if isNews && p.live&^r.Exempt&^reported != 0 {
		sure &^= p.limitsWhere(func(l *known) bool { return l.Hold.Until > now && t.seq < l.seq })
		droppable = p.limitsWhere(func(l *known) bool { return l.Left != 0 && l.Hold.Until <= now })
	}
	r.Observe(reported, sure, droppable, isNews, p.isAlone())
	p.refund(now, t, r.Exempt)
}

// first lets the first request of a new route go early: only its response shows whether the limits that delay it apply
// to the route. If they do, the next new route may go early twice as long after this one, up to a minute. The request
// goes alone, as the route's own limits may be far smaller than the known ones.
func (p *Partition) first(now float64, inFlight bool, d *demand) {
	at := p.freshAt + min(math.Ldexp(refusal.AnswerWait, int(p.alike)), refusal.LookFirst)
	if max(at, now) < d.at && !d.tried && p.hold.Until <= now { // else everything waits, and the reason is unknown
		d.at, d.opens, d.binding, d.For, d.Cause, d.look = at, min(d.opens, at), -1, 0, CauseStart, false
	}
	if at := p.freshAt + refusal.AnswerWait; inFlight && at > max(d.at, now) {
		d.at, d.binding, d.For, d.Cause = at, -1, 0, CauseStart
	}
}
