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

// explain sets the cause of a wait.
func (p *Partition) explain(now float64, cost *Cost, d *demand) {
	isHeld := p.hold.Until > now
	switch {
	case d.binding >= 0:
		p.explainLimit(now, cost, d, isHeld)
	case isHeld: // after a hold clients come back at random times
		d.Cause = CauseHold
	case d.tried:
		d.Cause = CauseTrial
	default:
		d.Cause = CausePace
	}
}

// explainLimit sets the cause of a wait for a limit, its policy and its age, and the limits that the request waits for.
// Besides the binding limit, these are the limits whose next slot would come too late if another request took one first.
func (p *Partition) explainLimit(now float64, cost *Cost, d *demand, isHeld bool) {
	binding := &p.limits[d.binding]
	d.For, d.Policy, d.Cause, d.Age = placeOf(d.binding), binding.Name.Policy, CauseQuota, nanoseconds(now-binding.Seen)
	for i, l := range p.each(d.uses) {
		next := d.slot(now, cost, i, l)
		if i == d.binding && next.At == d.at {
			d.Cause = CausePace
		}
		if max(next.At, now)+next.Interval > d.at {
			d.For |= placeOf(i)
		}
	}
	if d.at == binding.Hold.Until || d.look && binding.Hold.Until > now || d.Cause == CausePace && (isHeld || binding.Hold.Until > now) {
		d.Cause = CauseHold // the wait after a hold until the client comes back
	}
}
