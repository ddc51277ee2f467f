package pacer

import "time"

// Some servers count the time to a reset in milliseconds, and a number below a year
// does not show it: it is taken for seconds, and ten minutes for a week. But such a
// number falls by a thousand in a second. So where no window is told, the resets of
// answers in a row show the unit.
const (
	milli       = 1000
	millisProof = 2                      // falls in a row: as many as the first credit shows
	millisFall  = 30 * time.Second       // what each falls by as seconds, at least
	millisOff   = 300 * time.Millisecond // how far apart the ends are that they tell, at most;
	millisPart  = 4                      // and what part of the time that passed,
	millisLeast = 20 * time.Millisecond  // besides so much

	newUse = 4 // the part of a quota that may be used when a window has just begun

	millisRise   = 300 * time.Second // a rise before the end: servers behind one name do not tell the same
	millisDoubts = 3                 // smaller ones that are too many; from then on seconds are believed
	secondsOff   = 2 * time.Second   // how far apart the ends are if they are seconds after all,
	secondsLong  = 10 * time.Second  // after so long
)

// inMillis reports whether resets are told in milliseconds that look like seconds.
func (l *limit) inMillis() bool {
	return l.aside != nil && l.aside.millis >= millisProof && l.aside.doubts < millisDoubts
}

// keepLasting is what remains of a guess that was wrong: in which unit resets are told, and
// what is agreed.
func (g *aside) keepLasting() *aside {
	if g == nil || g.millis == 0 && g.doubts == 0 && g.part == nil {
		return nil
	}
	return &aside{part: g.part, millis: g.millis, doubts: g.doubts, reset: g.reset}
}

// inUnit is what a reset means that looks like so many seconds, by what was learned.
func (l *limit) inUnit(reset time.Duration) time.Duration {
	if l.inMillis() && reset > 0 {
		return reset / milli
	}
	return reset
}

// means is inUnit, and learns from it.
func (l *limit) means(now Instant, in *Limit) time.Duration {
	reset := in.Reset
	if l.windFrom == told || reset <= 0 || !l.end.known() {
		return reset
	}
	before := l.reach()
	if l.aside != nil && l.aside.reset > 0 {
		before = l.aside.reset
	}
	l.weigh(before, before-reset, now.Sub(l.at), l.renewed(in))
	if l.aside != nil {
		l.aside.reset = reset
	}
	return l.inUnit(reset)
}

// renewed reports whether there is as much again as when a window has just begun.
func (l *limit) renewed(in *Limit) bool {
	return (l.guessed || in.Remaining > l.remaining) && l.quota-in.Remaining <= l.quota/newUse+1
}

// weigh takes in by how much resets fell, as seconds, in so much time, and whether a
// window seems to have begun.
func (l *limit) weigh(before, fell, passed time.Duration, renewed bool) {
	off := min(millisOff, passed/millisPart+millisLeast)
	isEarly := !renewed || passed+millisOff < before/milli
	switch {
	case -fell >= millisFall && isEarly:
		l.kept().doubt(-fell >= millisRise)
	case fell >= millisFall && (passed-fell/milli).Abs() <= off:
		l.kept().millis = min(l.kept().millis+1, millisProof)
	case l.aside == nil:
	case !l.inMillis() && passed >= millisFall/milli: // it would have shown
		l.aside.millis = 0
	case passed >= secondsLong && (fell-passed).Abs() <= secondsOff: // they are seconds
		l.aside.millis = 0
	}
}

// doubt takes in that a reset rose before its end, as it does where several servers, or
// limits, are behind one name: falls are no proof then.
func (g *aside) doubt(surely bool) {
	g.millis = 0
	if g.doubts = min(g.doubts+1, millisDoubts); surely {
		g.doubts = millisDoubts
	}
}
