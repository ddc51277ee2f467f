package pacer

import (
	"cmp"
	"time"
)

// Parts are what clients that share quotas have agreed on for one of them.
type Parts struct {
	Until   Instant // after it they are not believed any more; holds and Late are taken over in any case
	Members int     // clients that agreed, this one included; less than one counts as one

	HeldUntil Instant       // the end of a hold on everything that another client met; not after now: none
	Late      time.Duration // by how much too early the server was found to tell times; what is more than a second is not believed

	Limits []Part
}

// A Part is what is a client's own of one limit.
type Part struct {
	// Which limit it is, as in LimitUsage.
	Policy, PartitionKey, Unit string
	Nameless                   int64

	// Share is its part of the quota, at most 1. It is the pace of a limit that refills;
	// what is not more than 0 counts as next to nothing.
	Share float64

	// Units are its own of the window that ends about End, those that it has sent
	// included, and Next of each window after that. Less than 0 is none.
	Units, Next int64
	End         Instant

	// Full says that it is as much as any client gets. If not, it can have more
	// when it needs it, so that no wait for it is final.
	Full bool

	// Refills says that a client has found that its units come back bit by bit: then Share counts, and
	// none of Units, Next, End and Remaining, until Parts.Until, or until it is false.
	Refills bool

	// Remaining is what another client was told is left, at ToldAt; Unknown if nothing.
	Remaining int64
	ToldAt    Instant

	HeldUntil Instant // the end of a hold on this limit; not after now: none
}

// heldApart is by how much times of several clocks differ.
const heldApart = 500 * time.Millisecond

// Apportion takes over what those who share the quotas have agreed on, instead of what
// this client would make of its share by what it sees. A limit that is not in parts, or
// not known here, is left as it is. u in [0, 1) is drawn for each call; parts is not
// kept or written to.
func (p *Partition) Apportion(now Instant, parts *Parts, u float64) {
	for i := range parts.Limits {
		in := &parts.Limits[i]
		for s := p.live; s != 0; s = s.rest() {
			if p.limits[s.first()].owns(in) && cmp.Or(in.Unit, requests) == p.unitName(p.limits[s.first()].unit) {
				p.apportion(now, s.first(), parts, in, u)
			}
		}
	}
	if late := min(parts.Late, mostSlack); late > p.hold.slack() {
		p.hold.late = int32(late)
	}
	if h := &p.hold; isLater(now, parts.HeldUntil, h.until) {
		h.about(0, h.until > now)
		h.until, h.free, h.since, h.wins = parts.HeldUntil, parts.HeldUntil, p.seq, false
		moved := p.before(now, parts.HeldUntil)
		p.base, p.owed = parts.HeldUntil.Add(scale(mostSpread, u)), 0 // those that use none of the limits are not to come all at once
		if moved != 0 || p.live == 0 {
			p.base = p.back(p.live, parts.HeldUntil, u)
		}
		p.comeBack(moved, p.base)
	}
}

// owns reports whether it is the limit that a part is of, but for the unit.
func (l *limit) owns(in *Part) bool {
	id := l.id.Value()
	return id.policy == in.Policy && id.key == in.PartitionKey && l.nameless() == in.Nameless
}

// isLater reports whether a hold that others tell of ends later than the own one. What is
// told went from clock to clock, so a little does not count: a hold would never end that clients
// tell each other of.
func isLater(now, told, own Instant) bool {
	return told > now && (own <= now || told.Sub(own) > heldApart)
}

// back is when a client comes back after a hold that another one met.
func (p *Partition) back(limits LimitSet, until Instant, u float64) Instant {
	gap := min(p.interval(limits), mostPause)
	for s := limits & p.live; s != 0; s = s.rest() {
		if l := &p.limits[s.first()]; l.part() != nil && !l.refills() {
			gap = min(gap, l.entrance()) // its units are its own
		}
	}
	return until.Add(scale(max(gap, mostSpread), u))
}

// apportion takes over what is told of the limit at place i.
func (p *Partition) apportion(now Instant, i int, parts *Parts, in *Part, u float64) {
	l := &p.limits[i]
	l.apportion(now, parts, in, p.cfg, u)
	if isLater(now, in.HeldUntil, l.held) {
		l.held = in.HeldUntil
		p.comeBack(placeOf(i)&p.before(now, in.HeldUntil), p.back(placeOf(i), in.HeldUntil, u))
	}
}

// before are the limits whose next slot is before a time. The slots of others stay where they are
// after a hold: each hold that is told would draw them anew, be it nearer.
func (p *Partition) before(now, at Instant) LimitSet {
	wobble := 1 + p.cfg.jitter()*float64(p.swing)
	return p.those(func(l *limit) bool { return l.slot(l.gap(now), wobble, p.cfg).at < at })
}

func (l *limit) apportion(now Instant, parts *Parts, in *Part, cfg *Config, u float64) {
	if parts.Until <= now {
		return
	}
	isFirst := l.part() != nil && l.part().awaited
	if l.part() == nil {
		l.refill.strain = 0 // it stood for the share
	}
	l.kept().part = &part{
		until: parts.Until, end: in.End, units: max(in.Units, 0), next: max(in.Next, 0),
		share: within(in.Share, partLeast, 1), even: 1 / float64(max(parts.Members, 1)), full: in.Full, refills: in.Refills,
	}
	l.hear(now, in, u)
	if isFirst {
		l.grantAll(now, cfg)
	}
}

// hear takes over what another client was told is left of the window that is open, if it is news.
// While an answer of its own is under way, a client waits for that: which of its requests the other
// one's answer counts is not known. Of a limit that refills it hears nothing: where all hear of each
// other that little is left, all slow down at once, and come back at once.
func (l *limit) hear(now Instant, in *Part, u float64) {
	isNews := in.Remaining >= 0 && in.ToldAt <= now && in.ToldAt.Sub(l.at) > heldApart
	isOfWindow := l.isOpen(in.End) && in.ToldAt >= l.end.hi.Add(-l.window)
	if !isNews || !isOfWindow || l.refills() || l.unanswered() {
		return
	}
	l.remaining, l.mark = min(in.Remaining, l.quota), l.units
	l.sent, l.at = in.ToldAt, in.ToldAt
	if l.guessed { // no more: the other one was told of this window
		l.guessed, l.entry = false, uint8(u*entryParts)
	}
}
