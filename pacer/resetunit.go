package pacer

import (
	"math"
	"time"
)

const (
	milliFall = 30 * time.Second // by which a number of milliseconds falls, in 30 ms: less could be a correction, more takes longer to see
	milliSure = 2                // such falls in a row: one could be of another server behind the name, more are late for the first burst
)

// A resetUnit finds out whether resets that look like seconds are milliseconds, where no window is
// told: a number below a year does not show it, and ten minutes are taken for a week.
//
// Say t = 48,000 is told, and 0.5 s later t = 47,500. Seconds would have fallen by one or none;
// so many milliseconds have passed.
type resetUnit struct {
	told  int32 // last, in seconds
	falls uint8 // as milliseconds would have, in a row
}

// means is the reset that an answer tells, in time. It reports whether that has just become known to be
// told in milliseconds, so that all that was learned of ends was wrong.
func (m *resetUnit) means(a *account, in *Limit, now Instant) (reset time.Duration, isNew bool) {
	if a.windTold || in.Window > 0 || in.Reset <= 0 {
		return in.Reset, false
	}
	fell, passed := time.Duration(m.told)*time.Second-in.Reset, now.Sub(a.at)
	m.told = int32(min(in.Reset/time.Second, math.MaxInt32))
	switch asMillis := fell / 1000; {
	case m.falls == milliSure:
		return in.Reset / 1000, false
	case fell >= milliFall && asMillis > passed/2 && asMillis < 2*passed:
		m.falls++
	case fell.Abs() >= milliFall || passed > milliFall/100:
		m.falls = 0
	}
	if m.falls == milliSure {
		return in.Reset / 1000, true
	}
	return in.Reset, false
}
