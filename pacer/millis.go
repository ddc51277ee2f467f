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
	millisOff   = 300 * time.Millisecond // how far apart the ends are that they tell, at most
	secondsOff  = 2 * time.Second        // the same, if they are seconds after all,
	secondsLong = 10 * time.Second       // after so long
)

// inMillis reports whether resets are told in milliseconds that look like seconds.
func (l *limit) inMillis() bool { return l.guess != nil && l.guess.millis >= millisProof }

// keepUnit is what remains of a guess that was wrong: in which unit resets are told.
func (g *guess) keepUnit() *guess {
	if g == nil || g.millis == 0 {
		return nil
	}
	return &guess{millis: g.millis, reset: g.reset}
}

// resetIn is a copy with another reset.
func (in *Limit) resetIn(reset time.Duration) *Limit {
	c := *in
	c.Reset = reset
	return &c
}

// means is what a reset means that looks like so many seconds.
func (l *limit) means(now Instant, reset time.Duration) time.Duration {
	if l.windFrom == told || reset <= 0 || !l.end.known() {
		return reset
	}
	before := l.reach()
	if l.guess != nil && l.guess.reset > 0 {
		before = l.guess.reset
	}
	l.weigh(before-reset, now.Sub(l.at))
	if l.guess != nil {
		l.guess.reset = reset
	}
	if l.inMillis() {
		return reset / milli
	}
	return reset
}

// weigh takes in by how much resets fell, as seconds, in so much time.
func (l *limit) weigh(fell, passed time.Duration) {
	switch {
	case fell >= millisFall && (passed-fell/milli).Abs() <= millisOff:
		l.guessing().millis = min(l.guessing().millis+1, millisProof)
	case l.guess == nil:
	case !l.inMillis() && passed >= millisFall/milli: // it would have shown
		l.guess.millis = 0
	case passed >= secondsLong && (fell-passed).Abs() <= secondsOff: // they are seconds
		l.guess.millis = 0
	}
}
