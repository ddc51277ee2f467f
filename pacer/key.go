package pacer

// A server may have one quota of a policy for each user or project, named by a partition key (draft-10
// §4.1.4). A request uses one of these quotas: the last one that a response to its route reported, unless the
// caller passes the key.
//
// An example: a response reports the quota of ann. Requests by its route use that quota until a response
// reports bob's. If the caller passes the key ann and a response reports it too, then the first request with
// the key bob is charged to another quota of the same size.

// keyed returns the limits of policies whose responses reported the same key as the caller passed.
func (p *Partition) keyed() LimitSet {
	return p.limitsWhere(func(l *limit) bool { return l.matched })
}

// Keyed reports whether partition keys decide which limits requests use.
func (p *Partition) Keyed() bool { return p.keyed() != 0 }

// isOf reports whether requests with that partition key use the limit.
func (l *limit) isOf(key string) bool {
	return key == "" || !l.matched || l.id.Value().key == key
}

// siblings returns the limits with the policy and unit of the limit at place i.
func (p *Partition) siblings(i int) LimitSet {
	one := &p.limits[i]
	return p.limitsWhere(func(l *limit) bool { return l.unit == one.unit && l.policyName() == one.policyName() })
}

// expect prepares for a request with a partition key that no response has reported yet. For each policy with
// other keys it adds a quota of the same size, on the same routes. That quota is used evenly until a response
// reports what remains. The result is whether a limit was added.
func (p *Partition) expect(now Instant, key string) (isNew bool) {
	own := p.limitsWhere(func(l *limit) bool { return l.id.Value().key == key })
	var policy LimitSet
	for s := p.keyed(); s != 0; s &^= policy {
		i := s.first()
		if policy = p.siblings(i); policy&own != 0 {
			continue
		}
		l := &p.limits[i]
		made := newLimit(p.seq, identity{l.policyName(), key}, l.unit)
		made.quota, made.quotaTold, made.window, made.source = l.quota, l.quotaTold, l.window, l.source
		made.at, made.arrival.line, made.matched, made.granted = now, now, true, true
		place := placeOf(p.add(made))
		p.eachRoute(func(r *route) {
			if r.spared&placeOf(i) != 0 {
				r.spared |= place
			}
		})
		own |= place
		isNew = true
	}
	return isNew
}

// match compares the key of a request with the key of the limit at place i that its response reports. If the
// keys are equal, the key decides which of the policy's quotas applies, and match returns all of them. If
// not, the route does not use the policy's other quotas.
func (p *Partition) match(key string, r *route, i int) LimitSet {
	its := p.limits[i].id.Value().key
	if its == "" {
		return 0
	}
	all := p.siblings(i)
	if its != key {
		r.spared |= all
		return 0
	}
	for _, l := range p.each(all) {
		l.matched = true
	}
	return all
}
