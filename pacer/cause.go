package pacer

import "time"

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
func (p *Partition) explain(now Instant, n *need) {
	switch {
	case n.by >= 0:
		p.explainLimit(now, n)
		return
	case n.Cause != CauseNone: // places
	case n.probe || n.first:
		n.Cause = CauseStart
	case p.hold.until > now: // its end, or when clients come back after it
		n.Cause = CauseHold
		if n.At == p.hold.until && p.hold.only != 0 {
			n.Policy = p.limits[p.hold.only.first()].policyName()
		}
	case n.tried && p.trial.rate > 0:
		n.Cause = CauseTrial
	case n.tried: // a hold is over, and they come back spread
		n.Cause = CauseHold
	default:
		n.Cause = CausePace
	}
	if !n.probe && !n.first {
		n.For = Everything
	}
}

// explainLimit explains a wait for a limit.
func (p *Partition) explainLimit(now Instant, n *need) {
	by := &p.limits[n.by]
	n.For, n.Policy, n.Cause, n.Age = placeOf(n.by), by.policyName(), CauseQuota, by.age(now)
	for s, k := n.uses, 0; s != 0; s, k = s.rest(), k+1 {
		next := p.slot(now, s.first(), k, n)
		if s.first() == n.by && next.at == n.At {
			n.Cause = CausePace
		}
		if max(next.at, now).Add(next.gap) > n.At {
			n.For |= placeOf(s.first())
		}
	}
	if n.At == by.held || n.Cause == CausePace && max(p.hold.until, by.held) > now {
		n.Cause = CauseHold // after which clients come back at the pace
	}
}

// age is how long ago the server told of the limit; Unknown if it never did.
func (l *limit) age(now Instant) time.Duration {
	if l.at == 0 {
		return Unknown
	}
	return now.Sub(l.at)
}

// placesCause is why requests wait for a place in flight: before the first answer, or
// the first after a hold, that is what is awaited.
func (p *Partition) placesCause() Cause {
	if (p.places.most == 0 || p.hold.alone) && p.places.advertised == 0 {
		return CauseStart
	}
	return CausePlaces
}
