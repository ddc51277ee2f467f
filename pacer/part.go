package pacer

import (
	"time"

	"github.com/headway-go/headway/limits"
)

// This file keeps a member of a fleet to the part of each limit that the fleet allots to it.

const (
	fleetReserve = 0.25                   // part of the allotted quota that stays in reserve. More: a full bucket is used up later. Less: more refusals, and less for a process without a part
	partLeast    = 1e-6                   // least allotted share. More: more refusals. Zero would divide by zero
	partWait     = time.Second            // time in which a client may be allotted a larger part. Longer: waits in vain. Shorter: more refusals
	clockError   = 500 * time.Millisecond // clocks of several clients differ by less. Less: clients prolong each other's holds for ever
)

// Parts is what a fleet allots to this client in one partition: a Part for each limit, and the holds that other
// clients met.
type Parts struct {
	Until   Instant // when Limits expire; holds and Late are taken over in any case
	Members int     // clients that agreed, including this one; less than one counts as one

	HeldUntil Instant       // end of another client's hold on everything; not after now: none
	Late      time.Duration // how much too early the server's times are; at most a second is used

	Limits []Part
}

// A Part is what the fleet allots to this client of one limit, as the caller passes it.
type Part struct {
	At LimitSet // the limit, as in the LimitUsage since the last response

	limits.Allotted

	End       Instant // about when the window of Units ends
	ToldAt    Instant // when Remaining was reported
	HeldUntil Instant // end of a hold on this limit; not after now: none
}

// A part is a Part as a limit stores it, in place of the estimated share. Of a limit that refills the part is a
// share of the pace. Of a window the part is a number of units, as if the server had a quota of that size for this
// client alone.
//
// An example: three clients share q = 100 per minute, and this one is allotted 50 units of the current
// window. With 20 sent and 30 s to go, it sends 30/30 = 1 per second, whatever the others do.
type part struct {
	limits.Allotted

	end     Instant // of the window of Units
	until   Instant
	even    float64 // an even share
	awaited bool    // no part is allotted yet
}

// allotted returns the part of this client, or nil.
func (l *limit) allotted(now Instant) *part {
	if l.part != nil && now < l.part.until && l.isShareable() {
		return l.part
	}
	return nil
}

// await makes a new member of a fleet wait for its part.
func (l *limit) await(now Instant) {
	l.part = &part{Allotted: limits.Allotted{Share: partLeast}, until: now.Add(partWait), even: 1, awaited: true}
}

// lapse removes an expired part. The measured share then begins at the part, or at an even one if that is more.
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

// partUnits returns how many units of the window with that end are allotted to this client.
func (l *limit) partUnits(end span) int64 {
	if end.known() && end.mid().Sub(l.part.end).Abs() >= l.window/2 {
		return l.part.Next
	}
	return l.part.Units
}

// An ownUnits is the candidate for a window with an allotted part: a window with a quota of that many units.
type ownUnits struct{ *limit }

// own returns the account of that window.
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
	return share * o.refill() // no unit of this window is allotted
}

// opens lets a request that costs more than the part go while none of the part is used.
func (o ownUnits) opens(m moment, need int64) Instant {
	own, _ := o.own(&m)
	opens := fixedWindow{&own}.opens(m, min(need, max(own.quota, 1)))
	if end := own.end(m); own.quota == 0 && end.known() {
		opens = end.hi
	}
	if opens == 0 {
		return 0
	}
	spread := min(interval(o.refill()*o.part.even), o.window/2) // time in which all members enter the window
	return opens.Add(scale(spread, float64(own.ends.phase)))
}

// CanHaveMore reports whether this client has no part of some limit yet, or may be allotted a larger one.
func (p *Partition) CanHaveMore() bool {
	return p.limitsWhere(func(l *limit) bool {
		return l.isShareable() && (l.part == nil || !l.part.Full)
	}) != 0
}

// Apportion takes over what the clients of the same quotas have agreed on. A part replaces the estimated
// share of a limit. Limits that parts does not contain do not change. parts is not modified or kept.
func (p *Partition) Apportion(now Instant, parts *Parts) {
	for i := range parts.Limits {
		in := &parts.Limits[i]
		for i, l := range p.each(in.At & p.live) {
			p.apportion(now, i, l, parts, in)
		}
	}
	if late := min(parts.Late, rounding); late > valueOf(p.gate).slack {
		ensure(&p.gate).slack = late
	}
	if isLater(now, parts.HeldUntil, p.gate.end()) {
		g := ensure(&p.gate)
		g.until, g.told, g.since, g.only, g.wins = parts.HeldUntil, parts.HeldUntil, p.seq, 0, false
		g.firm = g.until
		back := g.until.Add(scale(rounding, p.cfg.chance()))
		p.arrival.grant(back, 0)
		p.comeBack(p.before(now, g.until), back)
	}
}

// apportion takes over the part of the limit l at place i.
func (p *Partition) apportion(now Instant, i int, l *limit, parts *Parts, in *Part) {
	if parts.Until > now {
		isFirst := l.part != nil && l.part.awaited
		l.part = &part{Allotted: in.Allotted, end: in.End, until: parts.Until, even: 1 / float64(max(parts.Members, 1))}
		l.part.Share, l.part.Units, l.part.Next = within(in.Share, partLeast, 1), within(in.Units, 0, mostUnits), within(in.Next, 0, mostUnits)
		l.adoptRemaining(now, in)
		if isFirst && l.arrival.line <= now { // the part is for this client alone; after a hold it comes back at a random time instead
			m := l.moment(now)
			l.arrival.grant(now, scale(l.interval(m), l.credit(m, p.cfg)))
		}
	}
	if isLater(now, in.HeldUntil, l.held()) {
		k := ensure(&l.kept)
		k.held, k.firm = in.HeldUntil, in.HeldUntil // the client that reported the hold does the second looks, see Usage
		p.comeBack(placeOf(i)&p.before(now, k.held), k.held.Add(scale(rounding, p.cfg.chance())))
	}
}

// isLater reports whether another client's hold ends later than the own one. Clocks differ, so a small
// difference does not count.
func isLater(now, told, own Instant) bool {
	return told > now && (own <= now || told.Sub(own) > clockError)
}

// before returns the limits whose next slot is before a time. The other slots must not move: each reported
// hold would draw them again, perhaps earlier.
func (p *Partition) before(now, at Instant) LimitSet {
	return p.limitsWhere(func(l *limit) bool { return l.arrival.next(l.interval(l.moment(now)), l.longest(now), 1) < at })
}

// adoptRemaining takes over the remaining quota of the current window that another client reports, if it is newer. With
// an own request in flight it does not, because that report may or may not include the request. For a limit
// that refills it never does: all clients would slow down at once, and come back at once.
func (l *limit) adoptRemaining(now Instant, in *Part) {
	m := l.moment(now)
	end := l.end(m)
	isOfWindow := end.known() && in.ToldAt >= end.hi.Add(-l.window) && in.ToldAt <= now
	isNews := in.Remaining >= 0 && in.ToldAt.Sub(l.at) > clockError
	if !isOfWindow || !isNews || l.refills() || l.unanswered() {
		return
	}
	l.account.take(now, m.index, 0)
	l.ends.told, l.ends.index = end, 0
	l.remaining, l.mark, l.ahead = min(in.Remaining, l.quota), l.units, 0
	l.sent, l.at = in.ToldAt, in.ToldAt
}
