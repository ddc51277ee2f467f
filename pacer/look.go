package pacer

import "github.com/headway-go/headway/pacer/internal/refusal"

// look lets a request go early as a second look, if it would wait for a hold on everything, or longer than is trusted,
// and no Retry-After asked for that.
func (p *Partition) look(now float64, d *demand) {
	at, binding, looks, isEarly := 0.0, -1, uint8(0), false
	if h := &p.hold; h.Until > now {
		at, looks = h.Early(h.Until), h.Looks
		isEarly = at < h.Until
	}
	for i, l := range p.each(d.uses) {
		next := d.slots[i]
		end, held := max(next.Opens, l.Hold.Until), max(p.hold.Until, l.Hold.Until)
		if end > now && !l.IsTrusted(end) && !l.WasTold(now-refusal.LookFirst) {
			e := l.Hold.Early(end)
			isEarly = isEarly || e < end
			end = e
		}
		if held <= now || next.At < held { // later slots are those after the hold
			end = max(end, next.At)
		}
		if end > at {
			at, binding, looks = end, i, l.Hold.Looks
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
	if h := &p.hold; h.Lift(t.sent) {
		p.line.Grant(max(h.Until, now))
		for _, l := range p.each(p.live) {
			l.Line.Grant(max(h.Until, now))
		}
	}
	for i, l := range p.each(all) {
		if l.Hold.Lift(t.sent) {
			l.Line.Grant(max(l.Hold.Until, now))
		}
		switch {
		case l.Hold.Looks > 0 && l.Left > 0: // the earlier readings were wrong
			l.Relearn()
		case l.seq < t.seq && l.Left == 0 && t.of(l, i) != nil:
			p.drop(i)
		}
	}
}
