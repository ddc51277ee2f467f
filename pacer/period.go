package pacer

import "time"

const (
	unknownWindow = time.Minute // a window of which no answer tells a time: longer wastes units of a shorter one, less uses up a longer one at once
	mostGuess     = time.Hour   // such a window that was not seen to end is not taken for longer, but after refusals: longer waits in vain, less is refused more often by quotas of a day
	watchedLeast  = time.Second // between the requests that find out, and no window is taken for shorter: less uses a small quota up, more finds windows of a second late
)

// A period measures the window of a limit whose answers tell what is left, but no time. Until that is seen to
// rise, the window is taken for one of a minute, and there is never more time between two requests than the
// window has been watched for.
//
// A reset of two seconds at most says little of a window of a second: servers tell whole seconds and cut their Date to the
// second. So such a window is measured, too. It is taken for the longest reset at first, and for no longer one ever.
//
// If what is left rises to the whole quota, or by half of it, a window has begun. Say q = 10, r = 7 at 0.1 s, r = 9
// at 1.1 s, r = 8 at 1.2 s and r = 9 at 2.1 s. One window began between 0.1 and 1.1 s, and another between 1.2 and 2.1 s.
// So a window lasts from 0.1 to 2 s, and is taken for one of 1.05 s.
//
// If less comes back, units come back one by one, and a window is as long as the whole quota takes. Say q = 100, and
// r rises from 40 to 42 in 3 s in which three requests were sent. Five units came back in 3 s, give or take one, so w is from
// 50 to 75 s. A window that was taken for one of a minute may be right, and stays.
type period struct {
	begun             span          // when the last window began that was seen to begin; zero: none was
	watched           Instant       // since when: the first answer, or the last beginning
	shortest, longest time.Duration // bounds of w by the beginnings; longest 0: there was one at most

	most time.Duration // the longest reset; 0: none was told

	since       Instant // of units that come back one by one: since when they are counted
	left, units int64   // r and own units at that time
}

// gauge measures windows by their beginnings. It reports whether one began since the reading before.
func (l *limit) gauge(r *reading) (begins bool) {
	p := made(&made(&l.kept).period)
	if p.watched == 0 {
		p.watched, p.since, p.left, p.units = l.at, l.at, l.remaining, l.mark
	}
	hasWindows := !l.refills() || l.belief.believed == asCounter
	if longest := r.end.hi.Sub(r.now); r.end.known() && longest > p.most {
		p.most, l.window = longest, max(l.window, r.end.lo.Sub(r.sent)+rounding)
	}
	back := l.back(r)
	rose := back > r.above
	// A bucket is full again at any time: what came back counts only if a bucket's rate does not explain it.
	isWhole := l.isFull(r) && (p.longest == 0 || float64(back) > 1.5+r.refill*r.passed)
	switch {
	case rose && (isWhole && hasWindows || 2*back >= l.quota):
		begins = true
		if p.begins(l, span{l.sent, r.now}); !r.end.known() {
			l.ends.told, l.ends.index = p.begun, 0
		}
	case r.end.known():
		return false
	case rose: // a window may have begun: from the last one that was seen to begin nothing follows for this one
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

// begins takes in that a window began then. Between two that were seen there may have been others.
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

// goesOn takes in that the window was still open then, though it should have been over.
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

// gaugeRefill measures by units that come back one by one. The window stays as it is if it may be that long. Only a refusal
// shows that it is longer than a minute, as r = 0 is told whatever came back and was used.
func (l *limit) gaugeRefill(r *reading) {
	p, before := l.kept.period, l.window
	back, passed := float64(r.left-p.left)+float64(r.units-p.units)/r.share, r.now.Sub(p.since)
	isFull, rose, isEmpty := l.isFull(r), l.back(r) > r.above, r.left == 0
	isPaced := r.share*r.refill*r.passed <= 2*float64(r.own) // else the client had little to send
	switch {
	case r.refused && isEmpty && l.refills() && r.sent > p.since: // once for those that were in flight together
		if l.window = min(2*l.window, mostInterval); l.belief.believed == asBucket { // it may have told when the next unit comes
			p.most = min(2*p.most, mostInterval)
		}
		isFull = true
	case r.fresh, r.refused:
	case isPaced && (isFull && rose || l.refills() && r.left > l.quota/8*7): // units come back faster than that
		l.window -= min(l.window/8, time.Duration(r.passed))
		p.shortest = min(p.shortest, l.window)
		if l.refills() && back >= 1 {
			l.window = min(l.window, scale(passed, float64(l.quota)/back))
		}
	case !l.refills() && p.longest > 0:
	case rose && back >= 1: // r is in whole units, so it may be one more or less
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

// back is how many units came back since the reading before, at least.
func (a *account) back(r *reading) int64 { return r.left - (a.remaining - r.own) }

// isFull reports whether all of the quota was there before the requests since the reading before.
func (a *account) isFull(r *reading) bool { return r.left+max(r.own, r.cost) >= a.quota }

// watched is for how long a window was watched whose length is a guess; the window itself once it was measured.
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

// bound keeps the window to what resets allow for.
func (l *limit) bound() {
	if most := l.kept.period.most; most > 0 {
		l.window = min(l.window, most)
	}
	least := watchedLeast
	if !l.quotaTold && l.refills() { // the quota may be more than was ever left, and only their ratio is known
		least = least / 4 * 3
	}
	l.window = max(l.window, least)
}
