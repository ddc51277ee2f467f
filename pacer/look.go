package pacer

import "time"

// A second look is one early request that checks whether a long wait is still required. lookFirst is the time from
// a report of such a wait to the first one. Shorter: more refusals. Longer: a mistake stops requests for longer.
const lookFirst = 10 * time.Minute

// looks count second looks in a row without success or without a response yet, up to 8.
//
// An example: at noon a response reports r = 0 and t = 2,678,400, a month, and no request waits longer than a
// minute. Then one request goes at 12:10, the next at 12:30 and at 13:10, and in the end one a day. If the
// response at 12:30 reports r = 50, all requests go on.
type looks uint8

// more counts a second look. After eight there is one a day.
func (n *looks) more() { *n = min(*n+1, 8) }

// isClosed reports whether the request waits for units or a hold, and not only for the pace.
func (l *limit) isClosed(now Instant, next asked) bool {
	return max(next.opens, l.held()) > now || l.remaining == 0 && l.refills() && next.at > now
}

// early returns when a request may go that is held until end, by Retry-After until firm: at end, or before as
// a second look. last is the time of the last second look or report. n is the number of looks.
func (p *Partition) early(end, firm, last Instant, n looks) Instant {
	if p.cfg.Patience <= 0 || end.Sub(last) <= p.cfg.Patience {
		return end
	}
	return min(end, max(firm, last.Add(min(lookFirst<<n, forgetAfter))))
}

// look lets a request go early as a second look, if it would wait longer than Config.Patience and no
// Retry-After asked for that.
func (p *Partition) look(now Instant, cost *Cost, d *demand) {
	g, at, by, isEarly := valueOf(p.gate), Instant(0), -1, false
	opens := func(end, firm, last Instant, n looks) Instant {
		early := p.early(end, firm, last, n)
		isEarly = isEarly || early < end
		return early
	}
	isHeld := func(c *arrival) bool { return g.until > now && c.line >= g.until } // its slot is the one after the hold
	if g.until > now {
		at = opens(g.until, g.firm, g.last, g.looks)
	}
	if !isHeld(&p.arrival) {
		at = max(at, d.line)
	}
	for i, l := range p.each(d.uses) {
		next := p.asked(now, cost, i, l, d)
		switch {
		case l.isClosed(now, next):
			next.at = opens(max(next.opens, next.at, l.held()), l.past().firm, max(l.at, l.past().last), l.looks)
		case isHeld(&l.arrival):
			continue
		}
		if next.at > at {
			at, by = next.at, i
		}
	}
	if isEarly && at < d.At {
		d.At, d.opens, d.by, d.look, d.Known, d.more = at, min(d.opens, at), by, true, true, false
	}
}

// lift ends the holds that a second look has found to be over. It forgets limits that were used up and that
// its response does not report.
func (p *Partition) lift(now Instant, t *Ticket) {
	all := p.applying(t)
	if until := max(valueOf(p.gate).firm, t.sent); p.gate.end() > until {
		p.gate.until, p.gate.told = until, until
		p.arrival.grant(max(until, now), 0)
		p.comeBack(p.live, max(until, now))
	}
	for i, l := range p.each(all) {
		if until := max(l.past().firm, t.sent); l.held() > until {
			l.kept.held = until
			l.arrival.grant(max(until, now), 0)
		}
		switch {
		case l.looks > 0 && l.remaining > 0: // the earlier readings were wrong
			l.belief, l.share, ensure(&l.kept).against = belief{}, share{}, [candidates]float32{}
		case l.seq < t.seq && l.remaining == 0 && t.of(l, i) != nil:
			p.drop(i)
		}
	}
}
