package pacer

// Forget drops all that was learned, as if the partition were new: limits, holds, places, paces and routes.
// Requests in flight still count, and each one must be ended as usual. Of their responses only a Retry-After
// is used: limits in them may be the ones to forget. Units keep their indices. Earlier LimitSets become
// invalid, and waiting requests must be planned again.
func (p *Partition) Forget() {
	*p = Partition{
		cfg: p.cfg, seq: p.seq, rare: &rare{units: p.Units(), forgot: p.seq},
		places: places{busy: p.places.busy, last: p.places.last},
		gate:   &gate{since: p.seq},
	}
}

// hasForgotten reports whether a request was sent before Forget.
func (p *Partition) hasForgotten(t *Ticket) bool { return p.rare != nil && t.seq <= p.rare.forgot }

// answeredLate handles the response to a request that was sent before Forget.
func (p *Partition) answeredLate(now Instant, t *Ticket, a *Answer) {
	p.places.last = now
	if a.Refused && a.RetryAfter >= 0 {
		p.refused(now, &Ticket{seq: t.seq, sent: t.sent}, &Answer{RetryAfter: a.RetryAfter, Refused: true}, Unknown)
	}
}
