package pacer

import (
	"cmp"
	"math"
	"time"
)

const (
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

// A part is the share of a limit that is allotted to this client, instead of one that it
// estimates: its share of the pace, and of a window so many units.
//
// Say three clients share q = 100 per minute, and this one is allotted 50 units of the window that
// is open. With 20 sent and 15 s to go, it goes at 30/15 = 2 per second, whatever the
// others do.
type part struct {
	until       Instant
	end         Instant
	units, next int64
	share       float64
	even        float64 // an even share
	full        bool
	refills     bool // as another client has found
	awaited     bool // nothing was allotted yet
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
	l.part = &part{until: now.Add(partWait), share: partLeast, even: 1, awaited: true}
}

// lapse ends a part that is not believed any more: it, or an even one if that is
// more, is where the share begins that is measured from then on.
func (l *limit) lapse(now Instant) {
	if l.part == nil || now < l.part.until {
		return
	}
	if mine := max(l.part.share, l.part.even); !l.part.awaited {
		most := float32(max(memoryLeast, l.quota))
		l.share = share{own: float32(mine) * most, all: most}
		l.share.settle()
	}
	l.part = nil
}

// partLeft is how many units of the open window this client has left to send.
func (l *limit) partLeft(now Instant) int64 {
	_, index := l.window.open(&l.account, now)
	sent := l.units - l.window.began
	if index > int64(l.window.index) {
		sent = 0
	}
	return max(0, l.partUnits(now)-sent)
}

// partUnits is how many units of the open window are this client's own.
func (l *limit) partUnits(now Instant) int64 {
	p := l.part
	end, _ := l.window.open(&l.account, now)
	switch behind := end.mid().Sub(p.end); {
	case !end.known(), behind.Abs() < l.account.window/2:
		return p.units
	case behind < 0 && -behind < scale(l.account.window, 1.5):
		return 0 // others are in the next window already
	}
	return p.next
}

// partOpens is opens for a client that goes by its part. A request that costs more than the
// part goes when nothing of that is used yet.
func (l *limit) partOpens(now Instant, need int64, slack time.Duration) Instant {
	end, index := l.window.open(&l.account, now)
	most := max(l.partUnits(now), 1)
	even := min(float64(interval(l.refill()*l.part.even)), float64(l.account.window)/2) // the rest is to send them in
	entry := end.hi.Add(slack).Add(scale(time.Duration(even), float64(l.window.phase)*(1-l.part.share)))
	if !end.known() {
		return 0
	}
	if l.partLeft(now) >= min(need, most) && l.window.left(&l.account, index) >= need {
		if index > 0 && index == int64(l.window.index)+1 && l.part.units-(l.units-l.window.began) < need {
			return entry.Add(-l.account.window) // it was waited for
		}
		return 0
	}
	return entry
}

// partRate spreads what is left of the own part over what is sure to be left of the window:
// what is not sent by then may be lost.
func (l *limit) partRate(now Instant) float64 {
	end, index := l.window.open(&l.account, now)
	until := end.lo.Sub(now)
	if until <= 0 {
		until = end.hi.Sub(now)
	}
	left := min(l.partLeft(now), l.window.left(&l.account, index))
	if until > 0 && left > 0 {
		return min(float64(left)/float64(until), catchUp*l.refill())
	}
	return l.refill() * l.part.share
}

// creditShare is the part of an idle client's credit that is this one's: of what is allotted an even
// one at least, however little it needs on average, but no more, as all of them may come at once.
func (l *limit) creditShare(now Instant) float64 {
	if p := l.allotted(now); p != nil && !p.awaited {
		return max(p.share, p.even)
	}
	return l.portion(now)
}

// isPartial reports whether the client may be told a larger part as soon as it needs it.
func (l *limit) isPartial(now Instant) bool { return l.allotted(now) != nil && !l.part.full }

// CanHaveMore reports whether this client, which shares its quotas with others, has not
// been told its part of a limit, or not as much as it could have if it needed it.
func (p *Partition) CanHaveMore() bool {
	return p.those(func(l *limit) bool {
		return l.refill() > 0 && (l.part == nil || !l.part.full) // others cannot be told of
	}) != 0
}

// Apportion takes over what those who share the quotas have agreed on, instead of what
// this client would make of its share by what it sees. A limit that is not in parts, or
// not known here, is left as it is. u in [0, 1) is drawn for each call; parts is not
// kept or written to.
func (p *Partition) Apportion(now Instant, parts *Parts, u float64) {
	for i := range parts.Limits {
		in := &parts.Limits[i]
		for s := p.live; s != 0; s = s.rest() {
			if l := &p.limits[s.first()]; l.owns(in) && cmp.Or(in.Unit, requests) == p.unitName(l.unit) {
				p.apportion(now, s.first(), parts, in, u)
			}
		}
	}
	g := &p.gate
	g.late = max(g.late, int32(min(max(parts.Late, 0), rounding)))
	if isLater(now, parts.HeldUntil, g.until) {
		g.about(0, g.until > now)
		g.until, g.told, g.since, g.wins = parts.HeldUntil, parts.HeldUntil, p.seq, false
		moved := p.before(now, parts.HeldUntil)
		back := parts.HeldUntil.Add(scale(rounding, u)) // those that use none of the limits are not to come all at once
		if moved != 0 || p.live == 0 {
			back = p.back(now, p.live, parts.HeldUntil, u)
		}
		p.arrival.grant(back, 0)
		p.comeBack(moved, back)
	}
}

// owns reports whether it is the limit that a part is of, but for the unit.
func (l *limit) owns(in *Part) bool {
	id := l.id.Value()
	return id.policy == in.Policy && id.key == in.PartitionKey && l.nameless() == in.Nameless
}

// isLater reports whether a hold that others tell of ends later than the own one. What is
// told went from clock to clock, so a little does not count.
func isLater(now, told, own Instant) bool {
	return told > now && (own <= now || told.Sub(own) > heldApart)
}

// back is when a client comes back after a hold that another one met.
func (p *Partition) back(now Instant, limits LimitSet, until Instant, u float64) Instant {
	gap := min(p.interval(now, limits), mostPause)
	for s := limits & p.live; s != 0; s = s.rest() {
		if l := &p.limits[s.first()]; l.part != nil && !l.refills() {
			gap = min(gap, interval(l.refill()*l.part.even)) // its units are its own
		}
	}
	return until.Add(scale(max(gap, rounding), u))
}

// before are the limits whose next slot is before a time. The slots of others stay where they are
// after a hold: each hold that is told would draw them anew, be it nearer.
func (p *Partition) before(now, at Instant) LimitSet {
	return p.those(func(l *limit) bool { return l.slot(now, l.interval(now), 1, p.cfg).at < at })
}

// apportion takes over what is told of the limit at place i.
func (p *Partition) apportion(now Instant, i int, parts *Parts, in *Part, u float64) {
	l := &p.limits[i]
	if parts.Until > now {
		isFirst := l.part != nil && l.part.awaited
		l.part = &part{
			until: parts.Until, end: in.End, units: max(in.Units, 0), next: max(in.Next, 0),
			share: within(in.Share, partLeast, 1), even: 1 / float64(max(parts.Members, 1)), full: in.Full, refills: in.Refills,
		}
		l.hear(now, in, u)
		if isFirst && l.arrival.line <= now { // its part is its own; one that was held meanwhile comes back spread
			l.arrival.grant(now, scale(l.interval(now), l.credit(now, p.cfg)))
		}
	}
	if isLater(now, in.HeldUntil, l.held) {
		l.held = in.HeldUntil
		p.comeBack(placeOf(i)&p.before(now, in.HeldUntil), p.back(now, placeOf(i), in.HeldUntil, u))
	}
}

// hear takes over what another client was told is left of the window that is open, if it is news.
// While an answer of its own is under way, a client waits for that: which of its requests the other
// one's answer counts is not known. Of a limit that refills it hears nothing: where all hear of each
// other that little is left, all slow down at once, and come back at once.
func (l *limit) hear(now Instant, in *Part, u float64) {
	end, index := l.window.open(&l.account, now)
	isNews := in.Remaining >= 0 && in.ToldAt <= now && in.ToldAt.Sub(l.at) > heldApart
	isOfWindow := end.known() && end.mid().Sub(in.End).Abs() < l.account.window/2 && in.ToldAt >= end.hi.Add(-l.account.window)
	if !isNews || !isOfWindow || l.refills() || l.unanswered() {
		return
	}
	if index > int64(l.window.index) {
		l.window.began = l.units
	}
	if index > 0 {
		l.window.phase = float32(u)
	}
	l.window.told, l.window.index = end, 0
	l.remaining, l.mark = min(in.Remaining, l.quota), l.units
	l.sent, l.at, l.early = in.ToldAt, in.ToldAt, 0
	l.counted = float32(l.recent().within(now, l.account.window))
}

// within returns f held within [least, most]; NaN gives least or 0, whichever is more.
func within[F float32 | float64](f, least, most F) F {
	if f != f {
		f = 0
	}
	return min(max(f, least), most)
}

// finite returns f, or where it is none the nearest number that is one.
func finite[F float32 | float64](f F) F { return within(f, -math.MaxFloat32, math.MaxFloat32) }
