package pacer

// MaxRoutes is how many routes of one partition are told apart at most: kinds of
// requests which the server may limit each in its own way. Route numbers are the
// caller's; they begin at 1, which is that of the requests sent without one before.
const MaxRoutes = 64

// How much it says of limits not applying to a route that an answer leaves them out.
// Of a route that is told from others one answer is proof if it tells of other limits.
const (
	absence      = 48 // proof
	saidNothing  = 16 // where it tells of none: some servers do not always tell
	saidOneOfOne = 16 // where the routes of the partition are not told apart
	saidOneOfAll = 3  // where the route has several kinds of requests
)

// A route is what is known of one kind of requests.
type route struct {
	spared   LimitSet // the limits that do not apply to it
	told     LimitSet // what answers have told of since the evidence was last weighed
	evidence uint8    // that the others do not apply
	weighed  bool     // once at least: what was not told by then does not apply
	said     bool     // an answer has told of limits
	fresh    bool     // no request of this kind was answered yet: all limits are thought to apply
	met      bool     // some answer has come, be it that of a gateway
	mixed    bool     // several kinds of requests may hide in it
	grants   uint8    // readings by which a first credit was granted
}

// routes are those of a partition that has several. Few have.
type routes struct {
	all       []route
	sent      []Instant // when the last request of each was sent
	next      Instant   // no probe before
	probed    Instant   // when one was sent that is under way; 0: none is
	doublings uint8     // of the time between them
}

// route returns that of a number.
func (p *Partition) route(n uint8) *route {
	if n == 0 || n > MaxRoutes {
		if p.routes != nil && len(p.routes.all) > 0 {
			return &p.routes.all[0]
		}
		return &p.anywhere
	}
	if p.routes == nil {
		p.routes = &routes{}
	}
	for len(p.routes.all) < int(n) {
		p.routes.all = append(p.routes.all, route{fresh: true})
		p.routes.sent = append(p.routes.sent, 0)
		if len(p.routes.all) == 1 {
			p.routes.all[0] = p.anywhere.asFirst()
		}
	}
	return &p.routes.all[n-1]
}

// asFirst is what is known of the one route that a partition had so far, once there is
// another.
func (r route) asFirst() route {
	r.weighed = r.said
	return r
}

// Describe says of a route that it is thought to be like another one until an answer
// of its own tells (0: like none), which only counts while nothing is known of it; and
// whether it is mixed from now on: several kinds of requests share it, so that no
// single answer speaks for all of them. A route is known from then on, without a request of it;
// numbers that none has, 0 among them, stand for the requests sent without one.
func (p *Partition) Describe(route, like uint8, mixed bool) {
	other := *p.route(like)
	r := p.route(route)
	if like > 0 && r.fresh && !r.met {
		r.spared, r.weighed, r.fresh, r.grants = other.spared, other.weighed, other.fresh, other.grants
	}
	r.mixed = r.mixed || mixed
}

// Uses is the set of limits that keep back a request of that cost, and Everything. It
// is empty where the request may go as a probe some time, whatever keeps others back.
func (p *Partition) Uses(cost *Cost) LimitSet {
	if p.isNew(cost.Route) {
		return 0
	}
	return p.uses(cost) | Everything
}

// uses is the set of limits that a request of that cost is thought to use.
func (p *Partition) uses(cost *Cost) LimitSet {
	s := p.live &^ p.route(cost.Route).spared
	if s == 0 || cost.Requests != 0 && cost.Others == nil && cost.Key == "" {
		return s
	}
	for rest := s; rest != 0; rest = rest.rest() {
		i := rest.first()
		if l := &p.limits[i]; cost.of(l.unit) == 0 || !l.isOf(cost.Key) {
			s &^= placeOf(i)
		}
	}
	return s
}

// applying is the set of limits that are now thought to apply to requests like that
// one. Of those that were known when it was sent, it used what it was charged for.
func (p *Partition) applying(t *Ticket) LimitSet {
	all := p.live &^ p.route(t.route).spared
	for s := all &^ t.uses; s != 0; s = s.rest() {
		if i := s.first(); t.seq > p.limits[i].born {
			all &^= placeOf(i)
		}
	}
	return all
}

// weigh takes in which limits an answer tells of.
func (p *Partition) weigh(now Instant, t *Ticket, told LimitSet, refused, isNews bool) {
	r := p.route(t.route)
	evidence, sure := p.evidence(r, told)
	others, matched := p.match(t.key, told)
	if matched {
		told |= others // the key says which of them applies
	} else {
		r.spared |= others
	}
	p.refund(now, t, others)
	r.spared &^= told
	r.met = true
	r.said, r.fresh = r.said || told != 0, r.fresh && !isNews && told == 0 && !refused
	switch absent := p.live &^ r.spared &^ told; {
	case !isNews:
		return
	case absent == 0:
		r.told, r.evidence, r.weighed = 0, 0, r.weighed || sure
	default:
		r.told |= told
		r.evidence += evidence
	}
	if r.evidence >= absence {
		absent := p.live &^ r.told
		if sure {
			absent &^= p.hidden() &^ r.spared
		} else {
			absent &^= p.barring(now) &^ r.spared
		}
		r.spared, r.told, r.evidence, r.weighed = absent, 0, 0, true
	}
	p.refund(now, t, r.spared)
	p.narrow(now, r)
}

// evidence is how much an answer to the request says that what it does not tell of does
// not apply to its route, and whether that is sure.
func (p *Partition) evidence(r *route, told LimitSet) (evidence uint8, sure bool) {
	switch {
	case told == 0:
		return saidNothing, false
	case r.fresh, r != &p.anywhere && !r.mixed:
		return absence, true
	case r == &p.anywhere:
		return saidOneOfOne, false
	default:
		return saidOneOfAll, false
	}
}

// hidden is the set of limits of which only refusals have told. That a success leaves
// them out says nothing.
func (p *Partition) hidden() LimitSet {
	return p.those(func(l *limit) bool { return !l.shown })
}

// barring is the set of limits that let nothing go now. As long as they are not told of
// by routes, they apply.
func (p *Partition) barring(now Instant) LimitSet {
	return p.those(func(l *limit) bool { return l.remaining == 0 || l.held > now })
}

// narrow leaves a hold to the limits that it is about, once they are known not to
// apply to some route.
func (p *Partition) narrow(now Instant, r *route) {
	h := &p.gate
	if h.only == 0 || h.only&^r.spared != 0 || h.until <= now {
		return
	}
	for s := p.live; s != 0; s = s.rest() {
		i := s.first()
		if l := &p.limits[i]; h.only&placeOf(i) != 0 {
			l.held = max(l.held, h.until)
		} else {
			l.arrival.line = min(l.arrival.line, now)
		}
	}
	h.until, p.arrival.line = now, min(p.arrival.line, now)
}

// divided is the set of limits that do not apply to some route.
func (p *Partition) divided() LimitSet {
	var all LimitSet
	p.eachRoute(func(r *route) { all |= r.spared })
	return all
}

// sparedTogether reports whether there is a route that none of these limits apply to.
func (p *Partition) sparedTogether(limits LimitSet) (found bool) {
	p.eachRoute(func(r *route) { found = found || limits&^r.spared == 0 })
	return found && p.routes != nil
}

// spareNew has a limit that was not known before apply to no route whose answers have
// left it out.
func (p *Partition) spareNew(l LimitSet) {
	p.eachRoute(func(r *route) {
		if r.weighed {
			r.spared |= l
		}
	})
}

// forgetPlace clears the place of a limit.
func (p *Partition) forgetPlace(l LimitSet) {
	p.eachRoute(func(r *route) {
		r.spared &^= l
		r.told &^= l
	})
}

func (p *Partition) eachRoute(do func(r *route)) {
	do(&p.anywhere)
	if p.routes == nil {
		return
	}
	for i := range p.routes.all {
		do(&p.routes.all[i])
	}
}
