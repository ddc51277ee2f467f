package pacer

import "time"

// lookFirst is how long after a server has told of a long wait it is asked whether that still holds: less is
// refused more often, more stays closed longer by mistake.
const lookFirst = 10 * time.Minute

// Looks are how many second looks in a row were in vain, or are under way; 8 at most.
//
// Say r = 0 and t = 2,678,400, a month, are told at noon, and a request waits a minute at most. Then one goes at
// 12:10, the next at 12:30 and at 13:10, and one a day in the end. If that of 12:30 is told r = 50, all go on.
type looks uint8

// more counts one that goes. After eight it is one a day.
func (n *looks) more() { *n = min(*n+1, 8) }

// isClosed reports whether units are waited for, or a hold, rather than the pace.
func (l *limit) isClosed(now Instant, next asked) bool {
	return max(next.opens, l.past().held) > now || l.remaining == 0 && l.refills() && next.at > now
}

// early is when a request may go that is kept back until end, and by Retry-After until firm: then, or as
// a second look. last is when the last one went, answered or not, or when there was news.
func (p *Partition) early(end, firm, last Instant, n looks) Instant {
	if p.cfg.Patience <= 0 || end.Sub(last) <= p.cfg.Patience {
		return end
	}
	return min(end, max(firm, last.Add(min(lookFirst<<n, memory))))
}

// look lets a request go early, as a second look, where what it uses is closed for longer than the caller has
// patience, and no Retry-After asked for that.
func (p *Partition) look(now Instant, cost *Cost, d *demand) {
	g, at, by, isEarly := as(p.gate), Instant(0), -1, false
	opens := func(end, firm, last Instant, n looks) Instant {
		early := p.early(end, firm, last, n)
		isEarly = isEarly || early < end
		return early
	}
	isHeld := func(c *arrival) bool { return g.until > now && c.line >= g.until } // its slot is that after the hold
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
			next.at = opens(max(next.opens, next.at, l.past().held), l.past().firm, max(l.at, l.past().last), l.looks)
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

// lift ends the holds that a second look has found to be over, and forgets the limits that were used up and that
// its answer does not tell of.
func (p *Partition) lift(now Instant, t *Ticket) {
	all := p.applying(t)
	if until := max(as(p.gate).firm, t.sent); p.gate.end() > until {
		p.gate.until, p.gate.told = until, until
		p.arrival.grant(max(until, now), 0)
		p.comeBack(p.live, max(until, now))
	}
	for i, l := range p.each(all) {
		if until := max(l.past().firm, t.sent); l.past().held > until {
			l.kept.held = until
			l.arrival.grant(max(until, now), 0)
		}
		switch {
		case l.looks > 0 && l.remaining > 0: // what was learned of it was a mistake
			l.belief, l.share, made(&l.kept).against = belief{}, share{}, [candidates]float32{}
		case l.seq < t.seq && l.remaining == 0 && t.of(l, i) != nil:
			p.drop(i)
		}
	}
}
