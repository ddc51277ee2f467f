package pacer

// Forget drops all that was learned, as if the partition were new: limits, holds, places, paces and routes. Requests in
// flight stay counted, and each is to be ended as ever. Of their answers only a Retry-After counts from then
// on, as it is news; what they tell of limits may be what was to be forgotten. Units keep their indices.
// Limit sets from before mean nothing any more, and who waits has to be planned anew.
func (p *Partition) Forget() {
	*p = Partition{
		cfg: p.cfg, seq: p.seq, rare: &rare{units: p.Units(), forgot: p.seq},
		places: places{busy: p.places.busy, last: p.places.last},
		gate:   &gate{since: p.seq},
	}
}

// hasForgotten reports whether a request was sent before Forget.
func (p *Partition) hasForgotten(t *Ticket) bool { return p.rare != nil && t.seq <= p.rare.forgot }

// answeredLate takes in the answer to a request that was sent before Forget.
func (p *Partition) answeredLate(now Instant, t *Ticket, a *Answer) {
	p.places.last = now
	if a.Refused && a.RetryAfter >= 0 {
		p.refused(now, &Ticket{seq: t.seq, sent: t.sent}, &Answer{RetryAfter: a.RetryAfter, Refused: true}, Unknown)
	}
}
