package pacer

import "time"

const (
	milli      = 1000
	milliFall  = 30 * time.Second  // by which a number falls that counts milliseconds, in 30 ms: less could be chance, more takes longer to see
	milliLeast = 300 * time.Second // numbers below are seconds: a third of a second is too short for a window, less mistakes a t that falls as r does
	milliOff   = 0.25              // how far it may be from that, in parts: more mistakes seconds for milliseconds, less misses them where answers are late
	milliSure  = 2                 // such falls in a row: one could be a correction, more are late for the first burst
)

// A resetUnit finds out whether resets that look like seconds are milliseconds, where no window is
// told: a number below a year does not show it, and ten minutes are taken for a week.
//
// Say t = 48,000 is told, and 0.5 s later t = 47,500. Seconds would have fallen by one or none;
// so many milliseconds have passed.
type resetUnit struct {
	told  time.Duration // last, as seconds
	falls int8          // as milliseconds would have, in a row; −1: they are seconds
}

// means is the reset that an answer tells, in time. It reports whether that has just become known to be
// told in milliseconds, so that all that was learned of ends was wrong.
func (m *resetUnit) means(a *account, in *Limit, now Instant) (reset time.Duration, isNew bool) {
	if a.windTold || in.Window > 0 || in.Reset <= 0 {
		return in.Reset, false
	}
	fell, passed := m.told-in.Reset, now.Sub(a.at)
	switch off := fell/milli - passed; {
	case m.told < milliLeast, m.falls < 0:
	case fell >= milliFall && off.Abs() <= scale(passed, milliOff)+milliFall/milli:
		isNew = m.falls == milliSure-1
		m.falls = min(m.falls+1, milliSure)
	case m.falls < milliSure && passed > 4*milliFall/milli && fell.Abs() < milliFall:
		m.falls = 0
	case -fell >= milliFall && now < a.at.Add(m.told/milli-time.Second):
		m.falls = -1 // it rose before its end: several servers behind one name
	}
	m.told = in.Reset
	if m.falls < milliSure {
		return in.Reset, false
	}
	return in.Reset / milli, isNew
}
