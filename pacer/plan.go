package pacer

import (
	"math"

	"github.com/headway-go/headway/pacer/internal/limit"
	"github.com/headway-go/headway/pacer/internal/refusal"
)

// A Plan says when a request may go: at the latest of the times that hold, limits, trial and places require.
type Plan struct {
	// At is the earliest time. Not after now: at once. Never: only when another request is released.
	At Instant
	// Policy is the policy that the request waits for; "" if it waits for none, or the policy has no name.
	Policy string
	// For says what the request waits for: the deciding limit, and the limits whose next slots would come too late if
	// another request took one first. It is Everything if no limit decides. It is empty if the request may go at once,
	// or waits for the first response of a new route. Requests ahead do not change it.
	For LimitSet
	// Cause says why the request waits.
	Cause Cause
	// Known is false if At is only a precaution: limits are not known yet, or a response in flight may let the request go
	// earlier.
	Known bool
}

// An Instant is a whole number of nanoseconds, so what is due in less than one is due now.
const nanosecond = 1e-9

// A demand is a plan with the values that led to it. send uses them, too.
type demand struct {
	*Plan // empty at first

	uses        LimitSet
	at          float64               // Plan.At
	binding     int                   // the deciding limit; −1: none
	opens       float64               // when the request could go if only holds and units counted, not the pace
	gap         float64               // longest interval between usual requests; 0: none known
	slots       [maxLimits]limit.Slot // what each limit of uses requires
	line        float64               // next slot of the partition as a whole
	tried       bool                  // a trial sets the pace
	look        bool                  // it goes as a second look
	provisional bool                  // a response in flight, or a larger part, may let more of the deciding limit go
	burst       bool                  // a new client's first burst may begin with the response to a request in flight
}

// Plan returns when a request of that cost may go, and changes nothing. ahead is the cost, in requests, of all that go
// before it. With ahead 0, plan again at plan.At, and then call Send. In about one case of a hundred the new plan is
// later, because no place is free or fewer units came back than expected. With more ahead the plan is an estimate. cost
// must not be nil. As in Send and Take, it is neither retained nor modified.
func (p *Partition) Plan(now Instant, ahead int64, cost *Cost) Plan {
	at := p.at(now)
	var plan Plan
	d := demand{Plan: &plan}
	p.plan(at, cost, &d)
	if ahead > 0 && d.At < Never {
		d.Known = d.Known && !p.seen(cost.Route).Fresh // what the requests ahead wait for may not apply to this route
		d.At = max(d.At, now, p.instant(p.behind(at, float64(ahead), &d)))
	}
	return plan
}

// behind returns when a request with the demand d may go behind others of that cost together, at the earliest. Those that
// fit into a burst delay it by nothing. The costs of others in other units than requests vary too much for an estimate.
func (p *Partition) behind(now, ahead float64, d *demand) float64 {
	first := max(d.at, now)
	requests := d.uses & p.limitsWhere(func(l *known) bool { return l.Unit == 0 })
	if requests == 0 {
		return first + p.trial.Gap(now)*ahead
	}
	at := first
	for i, l := range p.each(requests) {
		next := d.slots[i]
		idle := max(d.opens, l.Idle(now, p.cfg.burst(l.Quota), &next))
		// A nearly used-up window has a long interval now, but the requests ahead will not all need it.
		at = max(at, min(first, idle)+min(next.Interval, l.Usual(now, 1))*ahead)
	}
	return at
}

// plan sets an empty d to the latest of what hold, limits and places require.
func (p *Partition) plan(now float64, cost *Cost, d *demand) {
	d.at, d.binding = p.hold.Until, -1
	d.opens = d.at
	d.Known, d.For = d.at > now, Everything
	if p.live != 0 {
		d.uses = p.uses(cost)
		for i, l := range p.each(d.uses) {
			p.addLimit(now, cost, i, l, d)
		}
	}
	p.addRates(now, d)
	if d.at > now {
		p.look(now, d)
	}
	if r := p.seen(cost.Route); r.Fresh {
		p.first(now, r.InFlight, d)
	}
	if !p.places.IsFree(now) {
		p.place(now, d)
	}
	// The response or end of a request in flight, or a larger part, may let the request go earlier.
	isUnsure := (d.Cause == CauseStart || d.Cause == CausePlaces) && p.InFlight() > 0 || d.provisional && d.binding >= 0
	d.Known = d.Known && !isUnsure
	if d.at <= now+nanosecond {
		d.At, d.Cause, d.For = math.MinInt64, CauseNone, 0
		return
	}
	d.At = p.instant(d.at)
	if d.Cause == CauseNone {
		p.explain(now, d)
	}
}

// addLimit adds what the limit l at place i requires to d, including the limit's hold.
func (p *Partition) addLimit(now float64, cost *Cost, i int, l *known, d *demand) {
	next := l.Slot(now, l.charge(cost))
	at, provisional := p.opens(now, cost, l, next.Opens)
	d.opens = max(d.opens, at)
	d.Known = d.Known || at > 0
	d.burst = d.burst || !l.Granted && l.isUnanswered() && p.InFlight() > 0
	if next.At > at {
		at, provisional = next.At, false
	}
	if part := l.Allotted(now); at > now && part != nil && !part.Full {
		at = min(at, max(l.Hold.Until, min(now+partWait, part.Until)))
		provisional = at > l.Hold.Until
	}
	d.gap = max(d.gap, min(next.Interval*l.usualCost(), max(next.Interval, l.Window)))
	d.slots[i] = next
	if at > d.at {
		d.at, d.binding, d.provisional = at, i, provisional
	}
}

// opens returns when the limit l and its hold let a request go, if enough units are there at a time. provisional: a
// response in flight may let it go earlier.
func (p *Partition) opens(now float64, cost *Cost, l *known, units float64) (at float64, provisional bool) {
	at, retries := units, false
	if until := max(p.hold.Until, l.Hold.Until); at > until && l.earlyRetry { // Retry-After takes precedence (draft-10 §6.3)
		at, retries = until, true // one attempt, whose response shows more
	}
	at = max(at, l.Hold.Until)
	if alone := l.Hold.At + refusal.AnswerWait; alone > at && l.isUnanswered() &&
		(retries || l.NeedsReading(now) || l.Cost != nil && l.Cost.IsUnknown(cost.of(l.Unit))) {
		return alone, p.InFlight() > 0 // one request at a time finds out how many units there are
	}
	return at, false
}

// addRates adds to d what does not depend on limits: the rate of a trial, and MaxRate.
func (p *Partition) addRates(now float64, d *demand) {
	gap := p.trial.Gap(now)
	if d.tried = gap > d.gap; !d.tried && d.gap > 0 && p.cfg.MaxRate > 0 {
		gap = max(gap, 1/p.cfg.MaxRate)
	}
	if d.line = p.line.At; gap > d.gap {
		d.gap, d.line = gap, p.line.Next(gap, math.Inf(1))
	}
	d.Known = d.Known || !d.burst && (d.gap > 0 || d.line > now) // a slot in the future is from a hold or an earlier pace
	if d.line > d.at {
		d.at, d.binding = d.line, -1
	}
}

// place makes the request wait for a place, because none is free. Before the first response, or the first one after a
// hold, it waits for that response.
func (p *Partition) place(now float64, d *demand) {
	switch at := p.places.Next(); {
	case math.IsInf(at, 1) && min(d.opens, d.at) > now+nanosecond: // the earlier time counts first, even without a place
	case math.IsInf(at, 1):
		d.at, d.binding, d.Cause = at, -1, CausePlaces
	case at > d.at:
		d.at, d.binding, d.For, d.Cause = at, -1, Everything, CausePlaces
		if p.places.IsAlone() && p.places.Advertised == 0 {
			d.Cause = CauseStart
		}
	}
}
