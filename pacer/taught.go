package pacer

import "github.com/headway-go/headway/pacer/internal/refusal"

// Taught stores what refusals have taught a Partition up to some time: places, the margin of times, and the rate of the
// trial. Take one before responses that may turn out to be no refusals, such as the plain 503s of an outage.
// [Partition.Unlearn] then restores it. The zero value is that of a new Partition.
type Taught struct {
	Served uint64 // successes of the current trial, or of all time before the first one
	Sent   uint64 // requests sent until then
	Nth    uint64 // the number of the Ticket's request among the Sent

	at     float64
	places refusal.Places
	trial  *refusal.Trial
	hold   refusal.Hold
}

// Taught returns what refusals have taught until now. t is the request whose response has just come.
func (p *Partition) Taught(now Instant, t *Ticket) Taught {
	served := uint64(p.own.served)
	if p.trial != nil {
		served = p.trial.Count()
	}
	return Taught{
		Served: served, Sent: p.seq, Nth: t.seq,
		at: p.time(now), places: p.places, trial: copied(p.trial), hold: get(p.hold).Hold,
	}
}

// Unlearn restores what refusals had taught at an earlier time. A hold goes on. The time since does not count for the
// trial.
func (p *Partition) Unlearn(now Instant, to *Taught) {
	at := p.time(now)
	p.places.Forgive(&to.places)
	h := ensure(&p.hold)
	h.Succeeded()
	h.Forgive(&to.hold)
	if p.trial = copied(to.trial); p.trial != nil {
		p.trial.Forgive(at, to.at)
	}
}

// Forget drops all that was learned, as if the partition were new: limits, holds, places, paces and routes. Requests in
// flight still count, and each one must be ended as usual. Of their responses only a Retry-After is used: limits in
// them may be the ones to forget. Units keep their indices. Earlier LimitSets become invalid, and waiting requests must
// be planned again.
func (p *Partition) Forget() {
	*p = Partition{
		cfg: p.cfg, seq: p.seq, skew: p.skew, latest: p.latest, rare: &rare{units: p.Units(), forgot: p.seq},
		places: refusal.Places{Busy: p.places.Busy}, hold: &hold{Hold: refusal.Hold{Since: p.seq}, round: p.seq},
	}
}

// hasForgotten reports whether a request was sent before Forget.
func (p *Partition) hasForgotten(t *Ticket) bool { return t.seq <= get(p.rare).forgot }
