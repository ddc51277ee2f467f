package pacer

import "time"

// catchUp bounds how much faster than nominal a client goes that has been left
// more of a window than its even share.
const catchUp = 2

// oldUse is the part of a quota that cannot have been used at once when a window
// began, unless it still counts what was used before.
const oldUse = 0.25

// windowRate spreads what is left over what is left of the window, at least at
// the nominal rate. r is rounded down and t up, so the headers allow every rate
// up to one unit more over the shortest time that t can mean.
func (l *limit) windowRate(now Instant, left float64) float64 {
	rate := l.nominal()
	if !l.end.known() {
		return rate
	}
	if l.lasting() < 1 && l.end.hi.Sub(now) > l.calm() {
		return rate / l.lasting()
	}
	if until := l.end.hi.Sub(now); until > 0 {
		spread := min(left/float64(until), catchUp*rate)
		if l.windFrom == seen {
			// The window is at least as long as the reset, so the nominal rate may be lower.
			return max(rate/2, spread)
		}
		rate = max(rate, spread)
	}
	if until := l.end.lo.Sub(now); until > 0 {
		rate = min(rate, (left+1)/float64(until))
	}
	return rate
}

// roll begins a new window once the last one known of has ended without news,
// but not before a client that waits for it may enter.
func (l *limit) roll(now Instant, slack time.Duration) {
	if l.refill.proven() || l.window <= 0 || !l.end.known() || now <= l.end.hi || now < l.opens(slack) {
		return
	}
	l.end = l.end.shift(scale(l.window, float64(now.Sub(l.end.hi)/l.window+1)))
	l.guessed = true
	l.began = l.units
	if l.refills() {
		return // it is kept in case that others change their minds
	}
	l.mark = l.units
	l.remaining = max(l.quota, 1)
	if l.asks() {
		l.remaining = 1
	}
}

// asks reports whether only an answer can tell if there is more, so that one
// request at a time asks. Either a window was begun by the clock although nobody
// said how long one is; or a limit that refills is empty, nobody said how fast it
// fills, and units never came back before the time that was told, as in a bucket
// that tells when it has the next token.
func (l *limit) asks() bool {
	if l.refills() {
		return l.remaining == 0 && l.windFrom != told && !l.refill.early
	}
	return l.guessed && l.windFrom == seen
}

// lastEnd is the end that an answer last told of.
func (l *limit) lastEnd() span {
	if l.guessed {
		return l.end.shift(-l.window)
	}
	return l.end
}

// reach is the reset that was last told.
func (l *limit) reach() time.Duration { return l.lastEnd().hi.Sub(l.at) }

// turn takes in the end that a reading tells of, and reports whether it is
// that of a new window.
func (l *limit) turn(r *reading) bool {
	old, last, guessed := l.end, l.lastEnd(), l.guessed
	if !r.end.known() {
		return r.returned
	}
	l.end, l.guessed = r.end, false
	next := span{lo: l.sent.Add(l.window), hi: r.now.Add(l.window)} // the old window was on when its last answer was under way
	switch {
	case !old.known(), l.refill.proven():
		return false
	case r.returned && r.now < last.lo.Add(-time.Second),
		!r.end.meets(last.widen(time.Second)) && r.end.hi < next.lo.Add(-time.Second):
		// Too early for the next window's units, or for its end.
		l.refill.suspect()
		return false
	case guessed:
		// Told of its old end again, the window that was believed over is not.
		return !r.end.meets(last.widen(time.Second))
	case r.returned:
		l.end = r.end.and(next)
		return true
	case r.end.meets(old):
		l.end = r.end.and(old)
		return false
	}
	return true
}

// slides reports whether a window that seems new still counts requests that
// were sent before it: a sliding one. What can have been used since the old
// window's end does not explain what is gone.
func (l *limit) slides(r *reading, old span) bool {
	if l.refill.proven() || !old.known() || l.refill.dry {
		return false // others were quick to use what is gone
	}
	used := float64(l.quota - r.left)
	before := float64(l.recent.sum(r.now, l.window) - r.own)
	since := catchUp * l.nominal() * float64(r.now.Sub(old.lo))
	if l.part() != nil { // others of the same fleet may use their units when they like
		since = max(since, float64(l.quota)*(1-l.part().share))
	}
	if before >= 3 {
		return used > float64(r.own)+since+0.3*before
	}
	// Too few to tell. But who sends little because others use much would never
	// send enough, so it counts if the others' use alone is too much for a new window.
	if l.quotaFrom == told && !r.refused && r.reset <= l.window && !l.refill.doubted &&
		used > float64(r.own)+since+oldUse*float64(l.quota) {
		l.refill.suspect()
	}
	return l.refill.proven()
}

// receded reports whether a reading tells of an end so much nearer than before
// that the earlier one was none. Ends come nearer only where they mean how long
// what is left lasts, and then no more than what is left has fallen.
func (l *limit) receded(r *reading) bool {
	if !r.end.known() || r.refused {
		return false
	}
	fell := float64(min(l.remaining, l.quota)-r.left+1) / float64(max(l.quota, 1))
	return r.end.hi.Add(scale(l.window, 0.3+max(fell, 0))) < l.lastEnd().lo
}

// measure takes the distance of two windows' ends, each as it was known in the
// end, for the window's length where the server does not tell it: a reset
// counted from a Date in whole seconds is up to two too long.
func (l *limit) measure(r *reading, old span) {
	g := l.kept()
	prior := g.prior
	g.prior = 0
	full := 2*(r.left-l.remaining) > l.quota-l.remaining
	if !full || !old.known() || r.now.Sub(l.at) > l.window/2 {
		return // not the next window, or not a window
	}
	g.prior = old.mid()
	if prior == 0 {
		return
	}
	length := g.prior.Sub(prior).Round(time.Second)
	if length > 0 && length <= l.window && length >= l.window-2*time.Second {
		l.window, l.windFrom = length, measured
	}
}
