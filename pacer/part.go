package pacer

import "time"

const (
	partLeast = 1e-6        // a share is not less
	partSlow  = 2           // of its own intervals, the longest gap where that exceeds a window
	partWait  = time.Second // in which a client may be told a larger part
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

// refills reports whether its units come back bit by bit, as this client has found, or another one
// that it shares the limit with.
func (l *limit) refills() bool {
	return l.refill.proven() || l.part() != nil && l.part().refills
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

// isOpen reports whether a window that ends then is the one that is known of.
func (l *limit) isOpen(end Instant) bool {
	return l.end.known() && l.end.mid().Sub(end).Abs() < l.window/2
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
	if l.refill.proven() {
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
	case l.isOpen(end.Add(-l.window)):
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
