package pacer

import "time"

// MaxRoutes is how many routes of one partition are told apart at most: kinds of requests
// which the server may limit each in its own way. More take more memory, fewer put different
// kinds into one. Route numbers are the caller's; they begin at 1, which is that of the requests
// sent without one.
const MaxRoutes = 64

// leftOut is after how many answers in a row a limit that none of them tells of is thought
// not to apply: fewer forget one that the server does not always tell of, more obey one that is gone.
const leftOut = 3

// A route is what is known of one kind of requests: which limits do not apply to it. One
// answer that tells of other limits is proof, if the route has but one kind of requests.
// Otherwise it takes as many in a row as leftOut.
//
// Say "core" and "search" are known, and an answer to /items tells of "core" alone. Then
// "search" does not apply to /items any more. Were there but one route, or if the answer told of
// nothing, "search" would apply until three answers in a row have left it out.
type route struct {
	spared LimitSet // the limits that do not apply to it
	told   LimitSet // what the last answers have told of
	silent uint8    // how many of them there were, each of which has left out some that apply
	fresh  bool     // none of its requests was answered yet: all limits are thought to apply
	asked  bool     // but one was sent
	said   bool     // an answer has told of limits: those that others tell of first do not apply
	mixed  bool     // several kinds of requests may hide in it
}

// routes are those of a partition that has several, and its probes.
type routes struct {
	others []route       // from number 2 on
	asked  Instant       // when a request of a fresh one was last sent
	next   Instant       // no probe before
	back   time.Duration // that the last probe in vain has put it off
}

// seen is the route of a number, not to be written to: one that was never asked for is fresh.
func (p *Partition) seen(n uint8) *route {
	switch {
	case n <= 1 || n > MaxRoutes:
		return &p.anywhere
	case p.routes == nil || len(p.routes.others) < int(n)-1:
		return &route{fresh: true}
	}
	return &p.routes.others[n-2]
}

// route returns that of a number, which is kept from then on.
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

// Describe says of a route that it is thought to be like another one (0: like none), which
// counts until an answer of its own has come; and whether it is mixed from now on: several kinds of
// requests share it, so that no single answer speaks for all of them. Numbers that no route has,
// 0 among them, stand for the requests sent without one.
func (p *Partition) Describe(route, like uint8, mixed bool) {
	other := *p.route(like)
	r := p.route(route)
	if like > 0 && r.fresh {
		r.spared, r.said, r.fresh = other.spared, other.said, other.fresh
	}
	r.mixed = r.mixed || mixed
}

// Uses is the set of limits that keep back a request of that cost, and Everything. It
// is empty where the request may go as a probe some time, whatever keeps others back.
func (p *Partition) Uses(cost *Cost) LimitSet {
	if p.seen(cost.Route).fresh {
		return 0
	}
	return p.uses(cost) | Everything
}

// uses is the set of limits that a request of that cost is thought to use.
func (p *Partition) uses(cost *Cost) LimitSet {
	s := p.live &^ p.seen(cost.Route).spared
	if s == 0 || cost.Requests != 0 && cost.Others == nil && cost.Key == "" {
		return s
	}
	key := ShortName(cost.Key)
	return s & p.those(func(l *limit) bool { return cost.of(l.unit) != 0 && l.isOf(key) })
}

// applying is the set of limits that are now thought to apply to requests like that
// one. Of those that were known when it was sent, it used what it was charged for.
func (p *Partition) applying(t *Ticket) LimitSet {
	all := p.live &^ p.seen(t.route).spared
	if all&^t.uses == 0 {
		return all
	}
	return all & (t.uses | p.those(func(l *limit) bool { return t.seq <= l.born }))
}

// weigh takes in which limits an answer tells of. What one that is no news leaves out says
// nothing.
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

// absent is the set of the limits that a success shows not to apply to a route, as it tells of these. The answer to an
// older request says nothing of a limit that a refusal holds since.
func (p *Partition) absent(now Instant, t *Ticket, r *route, told LimitSet) LimitSet {
	absent := p.live &^ r.spared &^ told
	if absent == 0 {
		r.told, r.silent = 0, 0
		return 0
	}
	absent &^= p.those(func(l *limit) bool { return l.past().held > now && t.seq < l.seq })
	if g := p.gate; g != nil && g.until > now && t.seq <= g.since {
		absent &^= g.only
	}
	if absent != 0 && told != 0 && (r.fresh || p.routes != nil && !r.mixed) {
		return absent
	}
	r.told |= told
	if r.silent++; absent != 0 && r.silent < leftOut {
		return 0
	}
	absent &^= r.told
	r.told, r.silent = 0, 0
	// What lets nothing go now applies as long as it is not told of by routes.
	return absent & p.those(func(l *limit) bool { return l.remaining != 0 && l.past().held <= now })
}

// narrow leaves a hold on everything to the limits that it is about, once a route is known
// to which none of them applies.
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

// divided is the set of limits that do not apply to some route.
func (p *Partition) divided() (all LimitSet) {
	p.eachRoute(func(r *route) { all |= r.spared })
	return all
}
