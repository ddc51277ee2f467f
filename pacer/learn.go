package pacer

import "strings"

// maxLimits bounds the limits that one partition keeps, because servers choose
// their names. The one told longest ago goes first.
const maxLimits = 16

// firstGrants is in how many parts a fresh client is given its idle credit.
const firstGrants = 2

// learn takes in the limits that an answer tells of.
func (p *Partition) learn(now Instant, t *Ticket, a *Answer, u float64) {
	named, concurrent := false, false
	var settled [MaxOthers + 1]bool // units, by the first limit that tells of each
	for i := range a.Limits {
		switch in := &a.Limits[i]; {
		case in.Unit == ConcurrentRequests:
			p.places.advertise(in)
			concurrent = true
		case in.Quota == 0 && in.Remaining <= 0 && !a.Refused:
			// The request was served, so this limit does not limit.
		default:
			if l := p.limit(in); l != nil {
				charged := t.charge(l.unit)
				charged.units = min(charged.units, p.tally(l.unit).sent) // some sent before it have been cancelled
				if l.unit != 0 && !settled[l.unit] && !a.Refused {
					settled[l.unit] = p.settle(now, t, l, charged, in)
				}
				l.told(now, t, charged, in, a.Refused, u)
				named = true
			}
		}
	}
	isNews := !a.Refused && !a.Indirect
	p.forget(now, t, isNews)
	if !concurrent && isNews {
		p.places.unadvertised()
	}
	if named && !a.Refused && p.places.grants < firstGrants && now >= p.hold.until {
		p.grant(now)
	}
}

// grant gives a fresh client its idle credit, too: half of it with the first
// reading and half with the second, which shows whether others have just
// started as well.
func (p *Partition) grant(now Instant) {
	credit := p.pace(now).credit
	if p.places.grants == 0 {
		p.base = now
		p.forgetOwed()
	}
	p.base = max(p.base.Add(-credit/firstGrants), now.Add(-credit))
	p.places.grants++
}

// limit finds the state of the limit that in tells of, or makes it. nil: it
// counts one unit too many.
func (p *Partition) limit(in *Limit) *limit {
	unit, ok := p.unit(in.Unit)
	if !ok {
		return nil
	}
	oldest := 0
	for i := range p.limits {
		l := &p.limits[i]
		if l.is(in, unit) {
			return l
		}
		if l.seq < p.limits[oldest].seq {
			oldest = i
		}
	}
	made := limit{name: strings.Clone(in.Policy), key: strings.Clone(in.PartitionKey), unit: unit, remaining: Unknown}
	if len(p.limits) == maxLimits {
		p.limits[oldest] = made
		return &p.limits[oldest]
	}
	p.limits = append(p.limits, made)
	return &p.limits[len(p.limits)-1]
}

// forget drops the limits that are over and that the newest answer does not
// mention any more. A refusal often comes without the fields that others have,
// and so does what a gateway or a cache answers; these are no news.
func (p *Partition) forget(now Instant, t *Ticket, isNews bool) {
	kept := 0
	for i := range p.limits {
		l := &p.limits[i]
		if l.seq != t.seq && isNews {
			l.unsaid = min(l.unsaid+1, unsaidMost)
		}
		if l.seq != t.seq && l.over(now) {
			continue
		}
		if kept < i {
			p.limits[kept] = *l
		}
		kept++
	}
	clear(p.limits[kept:])
	p.limits = p.limits[:kept]
}

// windowTooEarly learns from a refusal just after a window was believed over.
func (p *Partition) windowTooEarly(t *Ticket) {
	for i := range p.limits {
		if l := &p.limits[i]; l.guessed {
			p.hold.early(t.sent.Sub(l.lastEnd().hi))
		}
	}
}
