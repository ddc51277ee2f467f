package pacer

import "github.com/headway-go/headway/pacer/internal/route"

// A server may have one quota of a policy for each user or project, named by a partition key (draft-10 §4.1.4). A
// request uses the one that a response to its route reported last, unless the caller passes the key.
//
// An example: a response reports the quota of ann. Requests by its route use it until a response reports bob's. If the
// caller passes the key ann and a response reports it too, the first request with the key bob uses another quota of the
// same size.

// keyed returns the limits of policies whose responses reported the same key as the caller passed.
func (p *Partition) keyed() LimitSet { return p.limitsWhere(func(l *known) bool { return l.Matched }) }

// Keyed reports whether partition keys decide which limits requests use.
func (p *Partition) Keyed() bool { return p.keyed() != 0 }

// named returns the limits of a policy in one unit, whatever their keys.
func (p *Partition) named(policy string, unit uint8) LimitSet {
	return p.limitsWhere(func(l *known) bool { return l.Unit == unit && l.Name.Policy == policy })
}

// expect prepares for a request with a partition key that no response has reported yet, and reports whether it added a
// limit. For each policy with other keys it adds a quota of the same size, on the same routes. That quota is used
// evenly until a response reports what remains.
func (p *Partition) expect(now float64, key string) (isNew bool) {
	if p.crowded(key) != 0 {
		return false
	}
	own := p.ofKey(key)
	for i, l := range p.each(p.keyed()) {
		if p.named(l.Name.Policy, l.Unit)&own != 0 {
			continue
		}
		made := newKnown(now, p.seq, identity{l.Name.Policy, key}, l.Unit)
		made.Limit, made.Matched = l.Sibling(now), true
		place := placeOf(p.add(made))
		p.eachRoute(func(r *route.Route) {
			if r.Exempt.Meets(placeOf(i)) {
				r.Exempt |= place
			}
		})
		own, isNew = own|place, true
	}
	return isNew
}

// match returns all quotas of the policy of limit l, which a response to a request with that key reports, if l has the
// same key: the key then decides which one applies. If l has another key, the route does not use the other quotas.
func (p *Partition) match(key string, r *route.Route, l *known) LimitSet {
	its := l.Name.Key
	if its == "" {
		return 0
	}
	all := p.named(l.Name.Policy, l.Unit)
	if its != key {
		r.Exempt |= all
		return 0
	}
	for _, l := range p.each(all) {
		l.Matched = true
	}
	return all
}

// ofKey returns the limits with that key.
func (p *Partition) ofKey(key string) LimitSet {
	return p.limitsWhere(func(l *known) bool { return l.Name.Key == key })
}

// serves reports whether a request with that key may use the limit.
func (l *known) serves(key string) bool { return key == "" || !l.Matched || l.Name.Key == key }

// crowded returns the limit that a new key has to wait for, because it would replace it, and it is held. Otherwise a
// server that refuses each of many keys would get requests for each again and again, as the holds would be forgotten.
func (p *Partition) crowded(key string) LimitSet {
	if key == "" || (^p.live).First() < maxLimits || !p.Keyed() || p.ofKey(key) != 0 {
		return 0
	}
	if i := p.replaced(); p.limits[i].Hold.Until > p.latest {
		return placeOf(i)
	}
	return 0
}
