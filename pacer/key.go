package pacer

// A server may keep a quota of the same policy for each user, project or the like, and
// name them by partition keys (draft-10 §4.1.4). A request uses one of them: that of
// which the last answer to its route told, unless the caller knows better.
//
// Say an answer tells of the quota of ann. Requests by its route use that until an answer tells
// of bob's. If the caller had said that the request was ann's, the first of bob's would be
// thought to use another quota, as large as hers.

// keyed is the set of the limits of policies of which answers have told the same key as
// the caller.
func (p *Partition) keyed() LimitSet {
	return p.those(func(l *limit) bool { return l.matched })
}

// Keyed reports whether partition keys tell which limits requests use.
func (p *Partition) Keyed() bool { return p.keyed() != 0 }

// isOf reports whether requests of that partition key use the limit.
func (l *limit) isOf(key string) bool {
	return key == "" || !l.matched || l.id.Value().key == key
}

// siblings is the set of the limits with the policy and unit of the one at place i.
func (p *Partition) siblings(i int) LimitSet {
	one := &p.limits[i]
	return p.those(func(l *limit) bool { return l.unit == one.unit && l.policyName() == one.policyName() })
}

// expect prepares for a request of a partition key of which nothing was told yet: of
// the policies that have others, it is thought to have a quota of its own, as large, wherever
// that applies. What is left of it the first answer tells; until then it is used at an even pace.
// It reports whether there was anything to prepare.
func (p *Partition) expect(now Instant, key string) (isNew bool) {
	own := p.those(func(l *limit) bool { return l.id.Value().key == key })
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

// match takes in that an answer to a request of that partition key and route tells of the limit
// at place i. If the key is the same, it says which quota of the policy applies, so that all of
// them count as told of. If not, the others do not apply.
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
