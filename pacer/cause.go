package pacer

// A Cause says why a request waits.
type Cause string

// The causes of waits.
const (
	CauseNone   Cause = ""       // it may go at once
	CauseHold   Cause = "hold"   // a refusal holds it
	CauseQuota  Cause = "quota"  // the remaining quota is not enough for it
	CausePace   Cause = "pace"   // the pace of a limit
	CauseTrial  Cause = "trial"  // the rate that was learned from refusals, because the server reports no limit
	CauseStart  Cause = "start"  // it waits for the first response: of a server, of a route, or after a hold
	CausePlaces Cause = "places" // all places in flight are taken
)

// explain sets the cause of a wait. If a limit decides, it sets that limit's policy, and the limits that the
// request waits for. Besides the deciding one, these are the limits whose next slot would come too late if another
// request took one first.
func (p *Partition) explain(now float64, d *demand) {
	isHeld := p.hold.Until > now // after a hold clients come back at random times
	d.Cause = CausePace
	if d.binding < 0 {
		switch {
		case isHeld:
			d.Cause = CauseHold
		case d.tried:
			d.Cause = CauseTrial
		}
		return
	}
	l := &p.limits[d.binding]
	isHeld = isHeld || l.Hold.Until > now
	isPace := d.slots[d.binding].At == d.at
	d.For, d.Policy = placeOf(d.binding), l.Name.Policy
	for i := range p.each(d.uses) {
		if next := &d.slots[i]; max(next.At, now)+next.Interval > d.at {
			d.For |= placeOf(i)
		}
	}
	switch {
	case d.at == l.Hold.Until || d.look && l.Hold.Until > now || isPace && isHeld:
		d.Cause = CauseHold
	case !isPace:
		d.Cause = CauseQuota
	}
}
