package pacer

import (
	"time"

	"github.com/headway-go/headway/limits"
)

// A State is a copy of what a partition knows and plans at one moment, for people to look at.
type State struct {
	HeldUntil Instant // end of the hold; not after now: none
	InFlight  int64   // requests that were sent and have not ended
	Places    int64   // how many requests may be in flight; Unknown: no bound
	Sending   float64 // requests per second that were sent: the average of the last minute, or since the first if that is less
	Pace      float64 // requests per second that may be sent now, if they use all limits; 0: no pace is known
	Trial     float64 // requests per second, as learned from refusals if no limit is reported; 0: none
	Limits    []LimitState
}

// A LimitState is the state of one limit.
type LimitState struct {
	limits.Believed

	ToldAt    Instant // when the server last reported what remains; before it ever does, when the limit was last reported or assumed; 0 if unknown
	EndsBy    Instant // the latest possible end of the window; 0 if unknown
	HeldUntil Instant // end of a hold on this policy alone; not after now: none
}

// State returns a copy of the partition's state. Names are ShortNames. It changes nothing.
func (p *Partition) State(now Instant) State {
	s := State{
		HeldUntil: p.gate.end(), InFlight: p.places.busy, Places: p.places.bound(),
		Sending: p.own.perSecond(now), Trial: perSecond(p.trial.gap(now)),
	}
	d := demand{Plan: &Plan{}}
	for _, l := range p.each(p.live) {
		d.gap = max(d.gap, l.perRequest(l.interval(l.moment(now))))
		known := l.state(now)
		known.Unit = p.unitName(l.unit)
		s.Limits = append(s.Limits, known)
	}
	p.askAll(now, &d)
	s.Pace = perSecond(d.gap)
	return s
}

func (l *limit) state(now Instant) LimitState {
	id := l.id.Value()
	m := l.moment(now)
	s := LimitState{Believed: l.believed(), ToldAt: l.at, EndsBy: l.end(m).hi, HeldUntil: l.held()}
	s.Policy, s.PartitionKey = id.policy, id.key
	s.Rate, s.Share = l.rate(m)*float64(time.Second), m.share
	s.Refills, s.Agreed = l.refills(), l.allotted(now) != nil && !l.part.awaited
	switch {
	case l.remaining == Unknown:
	case l.refills():
		s.Remaining = l.left()
	default:
		s.Remaining = l.leftIn(m.index)
	}
	return s
}

// perSecond returns the rate of requests with that interval; 0 for none.
func perSecond(gap time.Duration) float64 {
	if gap <= 0 {
		return 0
	}
	return float64(time.Second) / float64(gap)
}
