package pacer

import (
	"math"
	"time"

	"github.com/headway-go/headway/limits"
)

const (
	milliFall = 30 * time.Second // a reset that falls by so much within a thousandth of the time counts as evidence for milliseconds. Less: may be a correction. More: takes longer to see
	milliSure = 2                // such falls in a row prove milliseconds. Fewer: one may come from another server of the same name. More: too late for the first burst
)

// A resetUnit finds out whether resets are in milliseconds instead of seconds, if no window is reported. The
// numbers alone do not show it: ten minutes in milliseconds look like a week in seconds.
//
// An example: t = 48,000, and 0.5 s later t = 47,500. Seconds would have fallen by at most one, so these are
// milliseconds. If later t falls by 10 within 10 s, the unit is seconds all the same. For example, a linear limiter
// of 60 per hour reports as t the client's unused time (ratelimittest.Linear). It falls by 60 with a request, and
// that may happen within 60 ms by chance.
type resetUnit struct {
	falls uint8 // falls in a row that fit milliseconds; more than milliSure: seconds are certain
}

// isOpen reports whether the unit of a reported reset is uncertain.
func (a *account) isOpen(in *limits.Told) bool {
	return a.source != fromServer && in.Window <= 0 && in.Reset > 0
}

// observe compares a reported reset with the last one. It reports whether the assumed unit changes, so that
// all stored ends were wrong.
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

// inTime returns a reported reset in the assumed unit.
func (m *resetUnit) inTime(a *account, in *limits.Told) time.Duration {
	if m.falls == milliSure && a.isOpen(in) {
		return in.Reset / 1000
	}
	return in.Reset
}

// again converts a window that was the longest reset after a change of the unit.
func (m *resetUnit) again(window time.Duration) time.Duration {
	if m.falls > milliSure {
		return scale(window, 1000)
	}
	return 0
}
