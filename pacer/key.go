package pacer

// keyDoubtsMost is after how many answers in a row that tell of other partition keys
// the caller is not thought to know them.
const keyDoubtsMost = 3

// key is the partition key of the quotas that a request of that cost uses, "" if it is
// not known.
func (p *Partition) key(cost *Cost) string {
	if cost.Key == "" || p.route(cost.Route).keyDoubts >= keyDoubtsMost {
		return ""
	}
	return cost.Key
}

// isOf reports whether the limit may be one of that partition key.
func (l *limit) isOf(key string) bool {
	if key == "" {
		return true
	}
	own := l.id.Value().key
	return own == "" || own == key
}

// checkKey takes in of which limits an answer tells to a request whose caller gave a
// partition key: of those that it was thought to use, or of others.
func (p *Partition) checkKey(r *route, t *Ticket, told LimitSet) {
	for s := told; s != 0; s = s.rest() {
		i := s.first()
		switch l := &p.limits[i]; {
		case l.id.Value().key == "" || t.seq <= l.born:
		case t.uses&placeOf(i) != 0:
			r.keyDoubts = 0
		default:
			r.keyDoubts = min(r.keyDoubts+1, keyDoubtsMost)
		}
	}
}

// expect prepares for requests of a partition key of which nothing was told yet: of
// the policies that have others, it is thought to have a quota of its own, as large.
// What is left of it the first answer tells; until then it is used at an even pace.
func (p *Partition) expect(now Instant, key string) {
	var own LimitSet
	for s := p.live; s != 0; s = s.rest() {
		if i := s.first(); p.limits[i].id.Value().key == key {
			own |= placeOf(i)
		}
	}
	for s := p.live &^ own; s != 0; s = s.rest() {
		l := &p.limits[s.first()]
		if l.id.Value().key == "" || own&p.siblingsOf(l) != 0 {
			continue
		}
		made := newLimit(p.seq, p.seq, identity{l.policyName(), key}, l.unit)
		made.quota, made.quotaFrom, made.window, made.windFrom = l.quota, l.quotaFrom, l.window, l.windFrom
		made.seq, made.at, made.base = p.seq, now, now
		if l.estimate != nil {
			made.estimate.usual = l.estimate.usual
		}
		i := s.first()
		own |= p.adopt(made, i)
	}
}

// adopt keeps a limit that applies where the one at place i does.
func (p *Partition) adopt(l limit, i int) LimitSet {
	k := p.add(l)
	p.eachRoute(func(r *route) {
		r.spared &^= placeOf(k)
		if r.spared&placeOf(i) != 0 {
			r.spared |= placeOf(k)
		}
	})
	return placeOf(k)
}

// siblings is the set of the limits that have the policy and unit of one of these,
// for other partition keys. A request uses one of them.
func (p *Partition) siblings(told LimitSet) LimitSet {
	var all LimitSet
	for s := told; s != 0; s = s.rest() {
		if l := &p.limits[s.first()]; l.id.Value().key != "" {
			all |= p.siblingsOf(l)
		}
	}
	return all &^ told
}

// siblingsOf is the set of the limits with the policy and unit of l.
func (p *Partition) siblingsOf(l *limit) LimitSet {
	policy := l.policyName()
	var all LimitSet
	for s := p.live; s != 0; s = s.rest() {
		i := s.first()
		if o := &p.limits[i]; o.unit == l.unit && o.policyName() == policy {
			all |= placeOf(i)
		}
	}
	return all
}
