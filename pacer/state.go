package pacer

import (
	"math"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer/internal/limit"
)

// InFlight returns the number of requests that were sent and neither released nor cancelled.
func (p *Partition) InFlight() int64 { return p.places.Busy }

// HasLimits reports whether the server has reported limits on the rate.
func (p *Partition) HasLimits() bool { return p.live != 0 }

// IsUnlimited reports whether any request may go at once: no response has reported a limit on the rate or refused a
// request, and there is a free place.
func (p *Partition) IsUnlimited() bool {
	return p.live == 0 && p.hold.Until == 0 && p.isAlone() && p.places.IsFree(p.latest)
}

// HasConcurrencyLimit reports whether the server has reported a limit on requests in flight. A place is then free only
// when the response body ends.
func (p *Partition) HasConcurrencyLimit() bool { return p.places.Advertised > 0 }

// HeldUntil returns the end of the holds that apply to such a request. It is not after now if there is none. Of a new
// route no limit is known to apply.
func (p *Partition) HeldUntil(t *Ticket) Instant {
	until := p.hold.Until
	for _, l := range p.each(p.applying(t)) {
		until = max(until, l.Hold.Until)
	}
	return p.instant(until)
}

// Stops reports whether a hold applies to a request that was allowed but has not left yet. A second look is
// stopped only by a Retry-After.
func (p *Partition) Stops(now Instant, t *Ticket) bool {
	if !t.look {
		return p.HeldUntil(t) > now
	}
	at := p.at(now)
	return p.hold.Firm > at || p.applying(t)&p.limitsWhere(func(l *known) bool { return l.Hold.Firm > at }) != 0
}

// Held reports whether there is a hold, on everything or on a limit.
func (p *Partition) Held(now Instant) bool {
	at := p.at(now)
	return p.hold.Until > at || p.limitsWhere(func(l *known) bool { return l.Hold.Until > at }) != 0
}

// Idle reports whether the partition can be dropped without loss. Then no request is in flight, and there is no hold.
// Every window has ended, or the last report of it is more than a day old and had quota left.
func (p *Partition) Idle(now Instant) bool {
	at := p.at(now)
	return p.places.Busy == 0 && p.hold.Until <= at && p.limitsWhere(func(l *known) bool {
		return !l.over(at) && (l.Left <= 0 || at <= l.Seen+forgetAfter)
	}) == 0
}

// A State is a copy of what a partition knows and plans at one moment, for people to look at.
type State struct {
	HeldUntil Instant // end of the hold on everything, or on each limit; not after now: none
	InFlight  int64   // requests that were sent and have not ended
	Places    int64   // how many requests may be in flight; Unknown: no bound
	Sending   float64 // requests per second that were sent: the average of the last minute, or since the first if that is less
	Pace      float64 // requests per second that may be sent now, if they use all limits; 0: no pace is known
	Trial     float64 // requests per second, as learned from refusals if no limit is reported; 0: none
	Members   int     // clients that share the quotas, see limits.Parts; 0: not known
	Limits    []LimitState
}

// A LimitState is the state of one limit.
type LimitState struct {
	limits.Known

	ReportedAt Instant // when the server last reported what remains; before it ever does, when the limit was last reported or assumed; 0 if unknown
	LatestEnd  Instant // the latest possible end of the window; 0 if unknown
	HeldUntil  Instant // end of a hold on this policy alone; not after now: none
}

// State returns a copy of the partition's state. It changes nothing.
func (p *Partition) State(now Instant) State {
	at := p.at(now)
	s := State{
		HeldUntil: p.end(p.hold.Until), InFlight: p.places.Busy, Places: p.places.Bound(at),
		Sending: p.perSecond(at), Trial: perSecond(p.trial.Gap(at)),
	}
	d := demand{Plan: &Plan{}}
	held := math.Inf(1)
	for _, l := range p.each(p.live) {
		interval := l.Slot(at, 1).Interval
		d.gap, held = max(d.gap, interval*l.usualCost()), min(held, l.Hold.Until)
		part := l.Allotted(at)
		in := LimitState{ReportedAt: p.instant(l.Seen), LatestEnd: p.end(l.LatestEnd(at)), HeldUntil: p.end(l.Hold.Until)}
		in.Known = limits.Known{
			Policy: l.Name.Policy, PartitionKey: l.Name.Key, Unit: p.unitName(l.Unit),
			Quota: Unknown, Remaining: limit.Whole(l.Remaining(at)), Window: Unknown,
			Rate: perSecond(interval), Share: l.Portion(at), Refills: l.Refills(at), Agreed: part != nil && part.Share > 0,
		}
		if in.Agreed {
			s.Members = p.members
		}
		if l.Quota > 0 || l.HasQuota {
			in.Quota = limit.Whole(l.Quota)
		}
		if l.Window > 0 {
			in.Window = nanoseconds(l.Window)
		}
		s.Limits = append(s.Limits, in)
	}
	if p.live != 0 {
		s.HeldUntil = max(s.HeldUntil, p.end(held))
	}
	p.addRates(at, &d)
	s.Pace = perSecond(d.gap)
	return s
}

// perSecond returns the rate of requests with that interval; 0 for none.
func perSecond(gap float64) float64 {
	if gap <= 0 {
		return 0
	}
	return 1 / gap
}
