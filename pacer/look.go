package pacer

import "math"

// A second look is one early request that checks whether a long wait is still required. lookFirst is the time in
// seconds from a report of such a wait to the first one. Each one without success doubles the time, mostLooks times at
// most. Shorter: more refusals. Longer: a mistake stops requests for longer.
const lookFirst, mostLooks = 60.0, 11

// early returns when a request may go that is held until end, by Retry-After until firm: at end, or before as a second
// look. last is the time of the last second look or report. n is the number of looks.
func early(end, firm, last float64, n uint8) float64 {
	return min(end, max(firm, last+math.Ldexp(lookFirst, int(n))))
}

// look lets a request go early as a second look, if it would wait for a hold on everything, or longer than is trusted,
// and no Retry-After asked for that.
func (p *Partition) look(now float64, cost *Cost, d *demand) {
	at, binding, looks, isEarly := 0.0, -1, uint8(0), false
	if h := get(p.hold); h.Until > now {
		at, looks = early(h.Until, h.Firm, h.At, h.Looks), h.Looks
		isEarly = at < h.Until
	}
	for i, l := range p.each(d.uses) {
		next := d.slot(now, cost, i, l)
		end, held := max(next.Opens, l.held), max(p.hold.until(), l.held)
		if end > now && !l.IsTrusted(end) {
			e := early(end, l.firm, max(l.at, l.last), l.looks)
			isEarly = isEarly || e < end
			end = e
		}
		if held <= now || next.At < held { // later slots are those after the hold
			end = max(end, next.At)
		}
		if end > at {
			at, binding, looks = end, i, l.looks
		}
	}
	if isEarly && at < d.at {
		d.at, d.opens, d.binding, d.look, d.provisional = at, min(d.opens, at), binding, true, false
		d.Known = looks == 0 || p.InFlight() == 0 // the last look may still lift the hold
	}
}

// lift ends the holds that a second look has found to be over. It forgets limits that were used up and that its
// response does not report.
func (p *Partition) lift(now float64, t *Ticket) {
	all := p.applying(t)
	if h := p.hold; h != nil && h.Until > max(h.Firm, t.sent) {
		h.Until = max(h.Firm, t.sent)
		p.line.Grant(max(h.Until, now), 0)
		for _, l := range p.each(p.live) {
			l.Line.Grant(max(h.Until, now), 0)
		}
	}
	for i, l := range p.each(all) {
		if until := max(l.firm, t.sent); l.held > until {
			l.held = until
			l.Line.Grant(max(until, now), 0)
		}
		switch {
		case l.looks > 0 && l.Left > 0: // the earlier readings were wrong
			l.Relearn()
		case l.seq < t.seq && l.Left == 0 && t.of(l, i) != nil:
			p.drop(i)
		}
	}
}
