package pacer

// A Cause says why a request waits.
type Cause uint8

// The causes of waits.
const (
	CauseNone   Cause = iota // it may go at once
	CauseHold                // a refusal holds it
	CauseQuota               // the remaining quota is not enough for it
	CausePace                // the pace of a limit
	CauseTrial               // the rate that was learned from refusals, because the server reports no limit
	CauseStart               // it waits for the first response: of a server, of a route, or after a hold
	CausePlaces              // all places in flight are taken
)

// explain sets the cause of a wait, its policy, and the limits that the request waits for. Besides the
// deciding limit, these are the limits whose next slot would come too late if another request took one first.
func (p *Partition) explain(now Instant, cost *Cost, d *demand) {
	switch {
	case d.by >= 0:
		p.explainLimit(now, cost, d)
		return
	case d.Cause != CauseNone: // places
	case d.probe, d.first:
		d.Cause = CauseStart
	case p.gate.end() > now, d.tried && p.trial.gap(now) == 0: // after a hold clients come back at random times
		d.Cause = CauseHold
		if only := valueOf(p.gate).only; (d.look || d.At == p.gate.end()) && only != 0 {
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
	if d.At == by.held() || d.look && by.held() > now || d.Cause == CausePace && max(p.gate.end(), by.held()) > now {
		d.Cause = CauseHold // the wait after a hold until the client comes back
	}
}

// placesCause returns why requests wait for a place. Before the first response, or the first one after a
// hold, they wait for that response.
func (p *Partition) placesCause() Cause {
	if (p.places.most == 0 || p.gate.isAlone()) && p.places.advertised == 0 {
		return CauseStart
	}
	return CausePlaces
}
