package pacer

import "github.com/headway-go/headway/pacer/internal/refusal"

// Forget drops all that was learned, as if the partition were new: limits, holds, places, paces and routes. Requests in
// flight still count, and each one must be ended as usual. Of their responses only a Retry-After is used: limits in
// them may be the ones to forget. Units keep their indices. Earlier LimitSets become invalid, and waiting requests must
// be planned again.
func (p *Partition) Forget() {
	*p = Partition{
		cfg: p.cfg, seq: p.seq, skew: p.skew, latest: p.latest, rare: &rare{units: p.Units(), forgot: p.seq},
		places: refusal.Places{Busy: p.places.Busy}, hold: &hold{round: p.seq},
	}
}

// hasForgotten reports whether a request was sent before Forget.
func (p *Partition) hasForgotten(t *Ticket) bool { return t.seq <= get(p.rare).forgot }
