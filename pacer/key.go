package pacer

// A server may keep a quota of the same policy for each user, project or the like, and
// name them by partition keys (draft-10 §4.1.4). A request uses one of them: that of
// which the last answer to its route told, unless the caller knows better.

// Keyed reports whether partition keys tell which limits requests use.
func (p *Partition) Keyed() bool {
	return p.those(func(l *limit) bool { return l.matched }) != 0
}

// isOf reports whether requests of that partition key use the limit. It is believed
// for policies of which answers have told the same key as the caller.
func (l *limit) isOf(key string) bool {
	return key == "" || !l.matched || l.id.Value().key == key
}

// expect prepares for a request of a partition key of which nothing was told yet: of
// the policies that have others, it is thought to have a quota of its own, as large.
// What is left of it the first answer tells; until then it is used at an even pace. It
// reports whether there was anything to prepare.
func (p *Partition) expect(now Instant, key string) (made bool) {
	var known LimitSet // policies in which the key has a quota
	for s := p.live; s != 0; s = s.rest() {
		if l := &p.limits[s.first()]; l.id.Value().key == key {
			known |= p.siblings(s.first())
		}
	}
	for s := p.live; s != 0; s = s.rest() {
		if i := s.first(); p.live&placeOf(i) != 0 && p.limits[i].matched && known&placeOf(i) == 0 {
			known |= p.siblings(i) | p.expectLike(now, i, key)
			made = true
		}
	}
	return made
}

// expectLike makes a limit for a partition key that applies where the one at place i does.
func (p *Partition) expectLike(now Instant, i int, key string) LimitSet {
	l := &p.limits[i]
	made := newLimit(p.seq, identity{l.policyName(), key}, l.unit)
	made.quota, made.quotaTold, made.account.window, made.windTold = l.quota, l.quotaTold, l.account.window, l.windTold
	made.seq, made.at, made.matched = p.seq, now, true
	made.arrival.grant(now, 0)
	if l.estimate != nil {
		made.estimate.usual = l.estimate.usual
	}
	made.shown = true
	k := p.add(p.room(now), made)
	p.eachRoute(func(r *route) {
		r.spared &^= placeOf(k)
		if r.spared&placeOf(i) != 0 {
			r.spared |= placeOf(k)
		}
	})
	return placeOf(k)
}

// match takes in that an answer to a request of that partition key tells of these limits,
// and returns those of the same policies that have other keys. If matched, the key says
// which of them applies, so that all of them count as told of.
func (p *Partition) match(key string, told LimitSet) (others LimitSet, matched bool) {
	for s := told; s != 0; s = s.rest() {
		i := s.first()
		own := p.limits[i].id.Value().key
		if own == "" {
			continue
		}
		all := p.siblings(i)
		others |= all
		if own == key {
			matched = true
			for rest := all; rest != 0; rest = rest.rest() {
				p.limits[rest.first()].matched = true
			}
		}
	}
	return others &^ told, matched
}

// siblings is the set of the limits with the policy and unit of the one at place i.
func (p *Partition) siblings(i int) LimitSet {
	one := &p.limits[i]
	return p.those(func(l *limit) bool { return l.unit == one.unit && l.policyName() == one.policyName() })
}

// refund takes back what a request was charged of limits that it turns out not to have used.
func (p *Partition) refund(now Instant, t *Ticket, unused LimitSet) {
	for s := unused & t.uses & p.live; s != 0; s = s.rest() {
		l := &p.limits[s.first()]
		if c := t.of(l, s.first()); c != nil {
			l.untake(now, c)
		}
	}
}
