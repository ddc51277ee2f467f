package pacer

import (
	"time"

	"github.com/headway-go/headway/limits"
)

const (
	stockKept = 0.25                   // of the quota that is allotted to clients: more leaves much to one that is not told its part, less is refused more often
	partLeast = 1e-6                   // a share that is allotted is not less: more is refused, 0 divides
	partWait  = time.Second            // in which a client may be told a larger part: longer waits in vain, shorter is refused
	heldApart = 500 * time.Millisecond // by how much times of several clocks differ: less lets clients lengthen each other's holds for ever
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
	At LimitSet // which limit it is, as in the LimitUsage that was made of it since the last answer

	limits.Allotted

	End       Instant // about when the window ends that Units are of
	ToldAt    Instant // when Remaining was told
	HeldUntil Instant // the end of a hold on this limit; not after now: none
}

// A part is the share of a limit that is allotted to this client, instead of one that it
// estimates: its share of the pace of a limit that refills, and of a window so many units, as if
// the server kept a quota of that size for it alone.
//
// Say three clients share q = 100 per minute, and this one is allotted 50 units of the window that
// is open. With 20 sent and 30 s to go, it goes at 30/30 = 1 per second, whatever the
// others do.
type part struct {
	limits.Allotted

	end     Instant // of the window that Units are of
	until   Instant
	even    float64 // an even share
	awaited bool    // nothing was allotted yet
}

// allotted is what is allotted to this client, or nil.
func (l *limit) allotted(now Instant) *part {
	if l.part != nil && now < l.part.until && l.refill() > 0 {
		return l.part
	}
	return nil
}

// await has a client that others may share a limit with wait for its part.
func (l *limit) await(now Instant) {
	l.part = &part{Allotted: limits.Allotted{Share: partLeast}, until: now.Add(partWait), even: 1, awaited: true}
}

// lapse ends a part that is not believed any more: it, or an even one if that is
// more, is where the share begins that is measured from then on.
func (l *limit) lapse(now Instant) {
	if l.part == nil || now < l.part.until {
		return
	}
	if mine := max(l.part.Share, l.part.even); !l.part.awaited {
		most := float32(max(memoryLeast, l.quota))
		l.share = share{own: float32(mine) * most, all: most}
		l.share.settle()
	}
	l.part = nil
}

// partUnits is how many units of the window that ends then are this client's own.
func (l *limit) partUnits(end span) int64 {
	if end.known() && end.mid().Sub(l.part.end).Abs() >= l.window/2 {
		return l.part.Next
	}
	return l.part.Units
}

// ownUnits is the candidate for a window of which units are allotted to this client: a window of its own,
// with a quota of so many units.
type ownUnits struct{ *limit }

// own is the account of that window.
func (o ownUnits) own(m *moment) (a account, share float64) {
	a, share, m.share = o.account, m.share, 1
	a.quota = o.partUnits(a.end(*m))
	a.remaining = min(a.remaining, o.partUnits(a.ends.told)-(a.mark-a.ends.began))
	return a, share
}

func (o ownUnits) stock(m moment) float64 {
	own, _ := o.own(&m)
	return fixedWindow{&own}.stock(m)
}

func (o ownUnits) pace(m moment, each float64) float64 {
	own, share := o.own(&m)
	if rate := (fixedWindow{&own}).pace(m, each); rate > 0 {
		return rate
	}
	return share * o.refill() // nothing of this window is allotted
}

// opens lets a request that costs more than the part go when nothing of that is used yet.
func (o ownUnits) opens(m moment, need int64) Instant {
	own, _ := o.own(&m)
	opens := fixedWindow{&own}.opens(m, min(need, max(own.quota, 1)))
	if end := own.end(m); own.quota == 0 && end.known() {
		opens = end.hi
	}
	if opens == 0 {
		return 0
	}
	spread := min(interval(o.refill()*o.part.even), o.window/2) // over which all members enter it
	return opens.Add(scale(spread, float64(own.ends.phase)))
}

// CanHaveMore reports whether this client, which shares its quotas with others, has not
// been told its part of a limit, or not as much as it could have if it needed it.
func (p *Partition) CanHaveMore() bool {
	return p.those(func(l *limit) bool {
		return l.isShareable() && (l.part == nil || !l.part.Full)
	}) != 0
}

// Apportion takes over what those who share the quotas have agreed on, instead of what
// this client would make of its share by what it sees. A limit that is not in parts
// is left as it is. parts is not kept or written to.
func (p *Partition) Apportion(now Instant, parts *Parts) {
	for i := range parts.Limits {
		in := &parts.Limits[i]
		for i, l := range p.each(in.At & p.live) {
			p.apportion(now, i, l, parts, in)
		}
	}
	if late := min(parts.Late, rounding); late > as(p.gate).slack {
		made(&p.gate).slack = late
	}
	if isLater(now, parts.HeldUntil, p.gate.end()) {
		g := made(&p.gate)
		g.until, g.told, g.since, g.only, g.wins = parts.HeldUntil, parts.HeldUntil, p.seq, 0, false
		g.firm = g.until
		back := g.until.Add(scale(rounding, p.cfg.chance()))
		p.arrival.grant(back, 0)
		p.comeBack(p.before(now, g.until), back)
	}
}

// apportion takes over what is told of the limit l at place i.
func (p *Partition) apportion(now Instant, i int, l *limit, parts *Parts, in *Part) {
	if parts.Until > now {
		isFirst := l.part != nil && l.part.awaited
		l.part = &part{Allotted: in.Allotted, end: in.End, until: parts.Until, even: 1 / float64(max(parts.Members, 1))}
		l.part.Share, l.part.Units, l.part.Next = within(in.Share, partLeast, 1), within(in.Units, 0, mostUnits), within(in.Next, 0, mostUnits)
		l.hear(now, in)
		if isFirst && l.arrival.line <= now { // its part is its own; one that was held meanwhile comes back spread
			m := l.moment(now)
			l.arrival.grant(now, scale(l.interval(m), l.credit(m, p.cfg)))
		}
	}
	if isLater(now, in.HeldUntil, l.past().held) {
		k := made(&l.kept)
		k.held, k.firm = in.HeldUntil, in.HeldUntil // who tells of it looks again itself, see Usage
		p.comeBack(placeOf(i)&p.before(now, k.held), k.held.Add(scale(rounding, p.cfg.chance())))
	}
}

// isLater reports whether a hold that others tell of ends later than the own one. What is
// told went from clock to clock, so a little does not count.
func isLater(now, told, own Instant) bool {
	return told > now && (own <= now || told.Sub(own) > heldApart)
}

// before are the limits whose next slot is before a time. The slots of others stay where they are
// after a hold: each hold that is told would draw them anew, be it nearer.
func (p *Partition) before(now, at Instant) LimitSet {
	return p.those(func(l *limit) bool { return l.arrival.next(l.interval(l.moment(now)), l.longest(now), 1) < at })
}

// hear takes over what another client was told is left of the window that is open, if it is news.
// While an answer of its own is under way, a client waits for that: which of its requests the other
// one's answer counts is not known. Of a limit that refills it hears nothing: where all hear of each
// other that little is left, all slow down at once, and come back at once.
func (l *limit) hear(now Instant, in *Part) {
	m := l.moment(now)
	end := l.end(m)
	isOfWindow := end.known() && in.ToldAt >= end.hi.Add(-l.window) && in.ToldAt <= now
	isNews := in.Remaining >= 0 && in.ToldAt.Sub(l.at) > heldApart
	if !isOfWindow || !isNews || l.refills() || l.unanswered() {
		return
	}
	l.account.take(now, m.index, 0)
	l.ends.told, l.ends.index = end, 0
	l.remaining, l.mark, l.ahead = min(in.Remaining, l.quota), l.units, 0
	l.sent, l.at = in.ToldAt, in.ToldAt
}
