package pacer

import "time"

// This file measures the length of a window from how r rises, where no response reports the length.

const (
	unknownWindow = time.Minute // first guess of a window without a reported time. Longer: units of a shorter window stay unused. Shorter: a longer window's quota goes at once
	mostGuess     = time.Hour   // longest guess while no window was seen to end, except after refusals. Longer: waits in vain. Shorter: more refusals by quotas of a day
	watchedLeast  = time.Second // least guess, and least time between the requests that measure. Shorter: uses up a small quota. Longer: windows of a second are found late
)

// A period belongs to a limit whose responses report r but no time. gauge measures windows that begin, and
// gaugeRefill units that come back one by one. Until then the window is taken for a minute. An interval is at most
// as long as the limit was watched, or 1 s if that is longer.
//
// A reset of at most two seconds says little about a window of a second, because servers round resets and cut
// their Date to whole seconds. So such a window is measured, too. At first it is taken for the longest reset. Only
// refusals by an empty bucket make it longer than that.
//
// If r rises to the whole quota, or by half of it, a window has begun. An example with q = 10: r = 7 at 0.1
// s, 9 at 1.1 s, 8 at 1.2 s and 9 at 2.1 s. One window began between 0.1 and 1.1 s, and another between 1.2
// and 2.1 s. So a window lasts from 0.1 to 2 s, and is taken for 1.05 s.
//
// If r rises by less, units come back one by one, and the window is the time in which the whole quota comes
// back. An example with q = 100: r rises from 40 to 42 in 3 s, in which three requests were sent. Five units
// came back in 3 s, give or take one, so w is between 50 and 75 s. The assumed minute is possible, so it does
// not change.
type period struct {
	begun             span          // when the last window began whose beginning was seen; zero: none
	watched           Instant       // the first response, or the last beginning
	shortest, longest time.Duration // bounds of w by the beginnings; longest is 0 before the second one

	most time.Duration // the longest reset; 0: none reported

	since       Instant // when counting began of units that come back one by one
	left, units int64   // r and own units at that time
}

// gauge measures windows by their beginnings. It reports whether one began since the last reading.
func (l *limit) gauge(r *reading) (begins bool) {
	p := ensure(&ensure(&l.kept).period)
	if p.watched == 0 {
		p.watched, p.since, p.left, p.units = l.at, l.at, l.remaining, l.mark
	}
	hasWindows := !l.refills() || l.belief.believed == asCounter
	if longest := r.end.hi.Sub(r.now); r.end.known() && longest > p.most {
		p.most, l.window = longest, max(l.window, r.end.lo.Sub(r.sent)+rounding)
	}
	back := l.back(r)
	rose := back > r.above
	// A bucket may be full at any time, so these units count only if a bucket's rate does not explain them.
	isWhole := l.isFull(r) && (p.longest == 0 || float64(back) > 1.5+r.refill*r.passed)
	switch {
	case rose && (isWhole && hasWindows || 2*back >= l.quota):
		begins = true
		if p.begins(l, span{l.sent, r.now}); !r.end.known() {
			l.ends.told, l.ends.index = p.begun, 0
		}
	case r.end.known():
		return false
	case rose: // perhaps a window began, but its length does not follow from the last beginning
		p.begun = span{}
		l.ends.told, l.ends.index = span{l.sent, r.now}.shift(l.window), 0
	case !l.refills() && r.sent > l.ends.told.hi:
		p.goesOn(l, r.sent)
	default:
		return false
	}
	r.moment = l.moment(r.now)
	return begins
}

// begins records the beginning of a window. Since the last recorded one, others may have begun.
func (p *period) begins(l *limit, then span) {
	if p.begun.known() {
		n := time.Duration(1)
		if p.longest > 0 {
			n = max(1, (then.mid().Sub(p.begun.mid())+l.window/2)/l.window)
		}
		shortest, longest := max(then.lo.Sub(p.begun.hi), 0)/n, then.hi.Sub(p.begun.lo)/n
		if p.longest == 0 || shortest > p.longest || longest < p.shortest {
			p.shortest, p.longest = shortest, longest
		}
		p.shortest, p.longest = max(p.shortest, shortest), min(p.longest, longest)
		if l.window < p.shortest || l.window > p.longest {
			l.window = (p.shortest + p.longest) / 2
			l.bound()
		}
	}
	p.begun, p.watched = then, then.hi
}

// goesOn records that the window was still open at a time when it should have ended.
func (p *period) goesOn(l *limit, then Instant) {
	before := l.window
	if p.shortest = then.Sub(p.begun.hi); p.begun.known() && p.shortest < p.longest {
		l.window = (p.shortest + p.longest) / 2
	} else {
		p.shortest, p.longest = 0, 0
		l.window = min(2*l.window, max(before, mostGuess))
	}
	l.bound()
	l.ends.told, l.ends.index = l.ends.told.shift(l.window-before), 0
}

// gaugeRefill measures the window by units that come back one by one. It changes only a window that is impossible.
// More than a minute is assumed only after a refusal, because r = 0 hides units that came back and were used.
func (l *limit) gaugeRefill(r *reading) {
	p, before := l.kept.period, l.window
	back, passed := float64(r.left-p.left)+float64(r.units-p.units)/r.share, r.now.Sub(p.since)
	isFull, rose, isEmpty := l.isFull(r), l.back(r) > r.above, r.left == 0
	isPaced := r.share*r.refill*r.passed <= 2*float64(r.own) // otherwise the client had little to send
	switch {
	case r.refused && isEmpty && l.refills() && r.sent > p.since: // once for all requests that were in flight together
		if l.window = min(2*l.window, mostInterval); l.belief.believed == asBucket { // the reset may have been for the next unit
			p.most = min(2*p.most, max(p.most, mostGuess))
		}
		isFull = true
	case r.fresh, r.refused:
	case isPaced && (isFull && rose || l.refills() && r.left > l.quota/8*7): // units come back faster than assumed
		l.window -= min(l.window/8, time.Duration(r.passed))
		p.shortest = min(p.shortest, l.window)
		if l.refills() && back >= 1 {
			l.window = min(l.window, scale(passed, float64(l.quota)/back))
		}
	case !l.refills() && p.longest > 0:
	case rose && back >= 1: // r is a whole number, so it may be off by one
		if longest := scale(passed, float64(l.quota)/(back-1)); back > 1 && longest < before {
			l.window = max(longest, before/8)
		}
		if shortest := scale(passed, float64(l.quota)/(back+1)); !isEmpty && shortest > before {
			l.window = min(shortest, max(before, unknownWindow))
		}
	}
	l.bound()
	if isFull || passed > before {
		p.since, p.left, p.units = r.now, r.left, r.units
	}
}

// back returns the least number of units that came back since the last reading.
func (a *account) back(r *reading) int64 { return r.left - (a.remaining - r.own) }

// isFull reports whether the whole quota was available before the requests since the last reading.
func (a *account) isFull(r *reading) bool { return r.left+max(r.own, r.cost) >= a.quota }

// watched returns how long a guessed window was watched, or the window itself if it was measured.
func (l *limit) watched() time.Duration {
	switch p := l.past().period; {
	case p == nil:
		return watchedLeast
	case p.longest > 0 && p.longest <= 2*p.shortest:
		return l.window
	default:
		return max(l.arrival.line.Sub(p.watched), watchedLeast)
	}
}

// bound limits the window by the reported resets.
func (l *limit) bound() {
	if most := l.kept.period.most; most > 0 {
		l.window = min(l.window, most)
	}
	least := watchedLeast
	if !l.quotaTold && l.refills() { // the quota may be larger than any r so far; only the ratio q/w is known
		least = least / 4 * 3
	}
	l.window = max(l.window, least)
}
