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

	// Refills says that another client has found that its units come back bit by bit.
	Refills bool

	// Remaining is what another client was told is left, at ToldAt; Unknown if nothing.
	Remaining int64
	ToldAt    Instant

	HeldUntil Instant // the end of a hold on this limit; not after now: none
}

const (
	partLeast = 1e-6                   // a share is not less
	partSlow  = 2                      // times its interval is the most that a client waits where that is more than a window
	partWait  = time.Second            // in which a client may be told a larger part
	heldApart = 500 * time.Millisecond // by which times of several clocks differ
)

// part is what this client was told to be its own of a limit.
type part struct {
	until       Instant
	end         Instant
	units, next int64
	share       float64
	even        float64 // an even share
	full        bool
	refills     bool // as another client has found
	awaited     bool // nothing was told yet
}

// part is what was agreed on, or nil.
func (l *limit) part() *part {
	if l.aside == nil {
		return nil
	}
	return l.aside.part
}

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
		if moved := p.before(now, p.live, parts.HeldUntil); moved != 0 || p.live == 0 {
			p.base, p.owed = p.back(p.live, parts.HeldUntil, u), 0
			p.comeBack(moved, p.base)
		}
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
		p.comeBack(p.before(now, placeOf(i), in.HeldUntil), p.back(placeOf(i), in.HeldUntil, u))
	}
}

// before are those of these limits whose next slot is before a time. The slots of others stay where
// they are after a hold: each hold that is told would draw them anew, be it nearer.
func (p *Partition) before(now Instant, limits LimitSet, at Instant) LimitSet {
	return limits & p.those(func(l *limit) bool {
		return p.cfg.Measured || l.base.Add(l.step(l.gap(now))) < at
	})
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
	if in.Remaining >= 0 && in.ToldAt.Sub(l.at) > heldApart && in.ToldAt <= now && l.isOpen(in.End) && in.ToldAt >= l.end.hi.Add(-l.window) {
		l.hear(in, u)
	}
	if isFirst {
		l.grantAll(now, cfg)
	}
}

// refills reports whether its units come back bit by bit, as this client has found, or another one
// that it shares the limit with.
func (l *limit) refills() bool {
	return l.refill.proven() || l.part() != nil && l.part().refills
}

// hear takes over what another client was told is left of the window that is open.
func (l *limit) hear(in *Part, u float64) {
	l.remaining, l.mark = min(in.Remaining, l.quota), l.units
	l.sent, l.at = in.ToldAt, in.ToldAt
	if l.guessed { // no more: the other one was told of this window
		l.guessed, l.entry = false, uint8(u*entryParts)
	}
}

// await has a client that others may share a limit with wait for its part.
func (l *limit) await(now Instant) {
	l.kept().part = &part{until: now.Add(partWait), share: partLeast, even: 1, awaited: true}
}

// grantAll gives a fresh client its idle credit at once: its part is its own. To wait for that
// was no wait for units. One that was held meanwhile comes back spread.
func (l *limit) grantAll(now Instant, cfg *Config) {
	if l.base <= now {
		l.base, l.owed, l.opened = now.Add(-scale(l.gap(now), l.credit(cfg))), 0, 0
	}
}

// isOpen reports whether a window that ends then is the one that is known of. A limit that refills
// has none, so a client hears only from the server what is left of it: where all hear of each other
// that it is little, all slow down at once, and come back at once.
func (l *limit) isOpen(end Instant) bool {
	return !l.refills() && l.end.known() && l.end.mid().Sub(end).Abs() < l.window/2
}

// lapse ends a part that is not believed any more: it, or an even one if that is
// more, is where the share begins that is measured from then on.
func (l *limit) lapse(now Instant, cfg *Config) {
	if l.part() == nil || now < l.part().until {
		return
	}
	mine, awaited := max(l.part().share, l.part().even), l.part().awaited
	memory := float32(max(memoryLeast, l.quota))
	l.share = share{own: float32(mine) * memory, total: memory}
	if l.refills() {
		l.refill.evidence = max(l.refill.evidence, refillProof) // what others have found stays true
		l.refill.slow(1 / mine)
	}
	l.aside.part = nil
	if awaited {
		l.grantAll(now, cfg)
	}
}

// mineOf is what of those units is this client's.
func (l *limit) mineOf(left int64) int64 {
	if l.part() == nil || l.refills() {
		return left
	}
	return max(0, min(left, l.allotted()-(l.units-l.began)))
}

// partFloor is floor for a client that goes by its part. A request that costs more than the
// part goes when nothing of that is used yet.
func (l *limit) partFloor(need int64, slack time.Duration) Instant {
	own := l.allotted() - (l.units - l.began)
	switch {
	case !l.end.known(), own >= min(need, max(l.allotted(), 1)) && (l.left() >= need || l.asks()):
		return 0
	}
	return l.opens(slack)
}

// allotted is how many units of this window are this client's own.
func (l *limit) allotted() int64 {
	switch end := l.part().end; {
	case l.isOpen(end):
		return l.part().units
	case end > l.end.hi:
		return 0 // others are in the next window already
	}
	return l.part().next
}

// partRate spreads what is left of the own part over what is sure to be left of the window:
// what is not sent by then may be lost.
func (l *limit) partRate(now Instant) float64 {
	nominal := l.nominal()
	until := l.end.lo.Sub(now)
	if until <= 0 {
		until = l.end.hi.Sub(now)
	}
	if left := l.mineOf(l.left()); until > 0 && left > 0 {
		return min(float64(left)/float64(until), catchUp*nominal)
	}
	return nominal * l.part().share
}

// portion is the share that this client goes by where nobody is in a rush.
func (l *limit) portion() float64 {
	if l.part() != nil && !l.part().awaited { // else a refusal would hold for as long as its units take
		return l.part().share
	}
	return l.share.value()
}

// creditShare is the part of an idle client's credit that is this one's: an even one at least, however
// little it needs on average, but no more, as all of them may come at once.
func (l *limit) creditShare() float64 {
	if part := l.part(); part != nil && !part.awaited {
		return max(part.share, part.even)
	}
	return l.portion()
}

// isPartial reports whether the client may be told a larger part as soon as it needs it.
func (l *limit) isPartial() bool { return l.part() != nil && !l.part().full }

// CanHaveMore reports whether this client, which shares its quotas with others, has not
// been told its part of a limit, or not as much as it could have if it needed it.
func (p *Partition) CanHaveMore() bool {
	return p.those(func(l *limit) bool {
		return l.quota > 0 && l.window > 0 && (l.part() == nil || !l.part().full) // others cannot be told of
	}) != 0
}

// adjustTogether is adjust for a client that goes by its part: what others of its fleet use
// is no reason to slow down, but a refusal is, as somebody else uses the quota, too.
func (f *refill) adjustTogether(r *reading, share, part float64) {
	f.came += float32(float64(max(r.came, 0)) / share) // others saw the rest come back
	if !r.refused {
		f.ease(easeAlone * min(max(part, 0), 1))
	}
}

// passed is how much of a window has passed since the last reading.
func (l *limit) passed(r *reading) float64 {
	return float64(r.now.Sub(l.at)) / float64(max(l.window, 1))
}
