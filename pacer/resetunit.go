package pacer

import (
	"math"
	"time"

	"github.com/headway-go/headway/limits"
)

const (
	milliFall = 30 * time.Second // by which a number of milliseconds falls, in 30 ms: less could be a correction, more takes longer to see
	milliSure = 2                // such falls in a row: one could be of another server behind the name, more are late for the first burst
)

// A resetUnit finds out whether resets that look like seconds are milliseconds, where no window is
// told: a number below a year does not show it, and ten minutes are taken for a week.
//
// Say t = 48,000 is told, and 0.5 s later t = 47,500. Seconds would have fallen by one or none;
// so many milliseconds have passed. If later 10 s pass and t falls by 10, they are seconds all the same: a
// bucket of 60 an hour whose t is when it is full falls by 60 with each request, in 60 ms by chance.
type resetUnit struct {
	falls uint8 // as milliseconds would have, in a row; more than milliSure: they are seconds
}

// isOpen reports whether the unit of the reset that an answer tells is a question at all.
func (a *account) isOpen(in *limits.Told) bool {
	return a.source != fromServer && in.Window <= 0 && in.Reset > 0
}

// observe takes in the reset that an answer tells. It reports whether another unit than before is believed
// from now on, so that all that was learned of ends was wrong.
func (m *resetUnit) observe(a *account, in *limits.Told, now Instant) (changed bool) {
	if !a.isOpen(in) {
		return false
	}
	fell, passed := time.Duration(a.toldReset)*time.Second-in.Reset, now.Sub(a.at)
	a.toldReset = int32(min(in.Reset/time.Second, math.MaxInt32))
	off := (fell/1000 - passed).Abs()
	switch {
	case m.falls > milliSure:
	case m.falls == milliSure:
		if changed = fell >= 0 && off > passed/2+time.Second; changed {
			m.falls++
		}
	case fell >= milliFall && off <= passed/4:
		m.falls++
		changed = m.falls == milliSure
	case fell.Abs() >= milliFall || passed > milliFall/100:
		m.falls = 0
	}
	return changed
}

// inTime is the reset that an answer tells, in the unit that is believed.
func (m *resetUnit) inTime(a *account, in *limits.Told) time.Duration {
	if m.falls == milliSure && a.isOpen(in) {
		return in.Reset / 1000
	}
	return in.Reset
}

// again is what remains of a window that was the longest reset, once another unit is believed.
func (m *resetUnit) again(window time.Duration) time.Duration {
	if m.falls > milliSure {
		return scale(window, 1000)
	}
	return 0
}
