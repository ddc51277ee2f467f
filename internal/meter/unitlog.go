package meter

import "time"

// A Log contains the units that one client has taken, oldest first.
type Log struct {
	stamps []stamp
	units  int64 // the sum over all stamps
}

// A stamp is the number of units taken at one instant.
type stamp struct {
	at    time.Time
	units int64
}

// Units returns the sum over all entries.
func (l *Log) Units() int64 { return l.units }

// Len returns the number of entries, one for each instant at which units were taken.
func (l *Log) Len() int { return len(l.stamps) }

// Expire drops the units taken at or before then.
func (l *Log) Expire(then time.Time) {
	for len(l.stamps) > 0 && !l.stamps[0].at.After(then) {
		l.units -= l.stamps[0].units
		l.stamps = l.stamps[1:]
	}
}

// KeepLatest drops the oldest units, until at most that many units are left.
func (l *Log) KeepLatest(units int64) {
	for l.units > units {
		oldest := &l.stamps[0]
		dropped := min(oldest.units, l.units-units)
		oldest.units -= dropped
		l.units -= dropped
		if oldest.units == 0 {
			l.stamps = l.stamps[1:]
		}
	}
}

// Add logs units at the given time, and returns that time. If the log has a later time, because the clock was
// set back, add uses that one.
func (l *Log) Add(at time.Time, units int64) time.Time {
	l.units += units
	if n := len(l.stamps); n > 0 && !at.After(l.stamps[n-1].at) {
		l.stamps[n-1].units += units
		return l.stamps[n-1].at
	}
	l.stamps = append(l.stamps, stamp{at, units})
	return at
}

// ExpiredTo returns the first instant, from now on, at which at most size units have not expired. It returns
// false if size is negative.
func (l *Log) ExpiredTo(now time.Time, size int64, window time.Duration) (time.Time, bool) {
	at, left := now, l.units
	for i := 0; i < len(l.stamps) && left > size; i++ {
		left -= l.stamps[i].units
		at = l.stamps[i].at.Add(window)
	}
	return Later(now, at), size >= 0
}

// UntilFirstExpires returns the time until the oldest unit expires. For an empty log it returns the window,
// as for a unit taken now.
func (l *Log) UntilFirstExpires(now time.Time, window time.Duration) time.Duration {
	if len(l.stamps) == 0 {
		return window
	}
	return l.stamps[0].at.Add(window).Sub(now)
}

// UntilEmpty returns the time until the log is empty.
func (l *Log) UntilEmpty(now time.Time, window time.Duration) time.Duration {
	if len(l.stamps) == 0 {
		return 0
	}
	return l.stamps[len(l.stamps)-1].at.Add(window).Sub(now)
}
