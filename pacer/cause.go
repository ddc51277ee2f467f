package pacer

// A Cause is why a request waits.
type Cause uint8

// The causes of waits.
const (
	CauseNone   Cause = iota // it may go at once
	CauseHold                // a refusal holds it
	CauseQuota               // what is left of a quota is not enough for it
	CausePace                // the pace at which a quota is spread
	CauseTrial               // the pace that was found by trial, because the server does not tell its limits
	CauseStart               // the first answer is awaited: of a server, of a route, or after a hold
	CausePlaces              // as many are in flight as may be
)

// explain says what a request waits for and why, and which policy it is of, if there is
// one. It keeps others from the limit that it waits for, and from those of which it could
// not have the next slot in time if another took one first.
func (p *Partition) explain(now Instant, cost *Cost, d *demand) {
	switch {
	case d.by >= 0:
		p.explainLimit(now, cost, d)
		return
	case d.Cause != CauseNone: // places
	case d.probe, d.first:
		d.Cause = CauseStart
	case p.gate.end() > now, d.tried && p.trial.gap(now) == 0: // clients come back spread after it
		d.Cause = CauseHold
		if only := as(p.gate).only; (d.look || d.At == p.gate.end()) && only != 0 {
			d.Policy = p.limits[only.first()].policyName()
		}
	case d.tried:
		d.Cause = CauseTrial
	default:
		d.Cause = CausePace
	}
	if !d.probe && !d.first {
		d.For = Everything
	}
}

// explainLimit explains a wait for a limit.
func (p *Partition) explainLimit(now Instant, cost *Cost, d *demand) {
	by := &p.limits[d.by]
	d.For, d.Policy, d.Cause = placeOf(d.by), by.policyName(), CauseQuota
	if by.at != 0 {
		d.Age = now.Sub(by.at)
	}
	for i, l := range p.each(d.uses) {
		next := p.asked(now, cost, i, l, d)
		if i == d.by && next.at == d.At {
			d.Cause = CausePace
		}
		if max(next.at, now).Add(next.interval) > d.At {
			d.For |= placeOf(i)
		}
	}
	if d.At == by.past().held || d.look && by.past().held > now || d.Cause == CausePace && max(p.gate.end(), by.past().held) > now {
		d.Cause = CauseHold // after which clients come back at the pace
	}
}

// placesCause is why requests wait for a place in flight: before the first answer, or
// the first after a hold, that is what is awaited.
func (p *Partition) placesCause() Cause {
	if (p.places.most == 0 || p.gate.isAlone()) && p.places.advertised == 0 {
		return CauseStart
	}
	return CausePlaces
}
