package pacer

import (
	"time"

	"github.com/headway-go/headway/limits"
)

// A span says when something happens: at some time in (lo, hi]. The zero span says
// nothing.
//
// Servers tell the time to a reset in whole seconds, rounded up, counted from some
// moment between sending and receipt. A request that is sent at 10.0 s, answered at
// 10.2 s and told t = 5 so ends its window in (14.0, 15.2]. If the next one, sent at
// 11.5 s, is answered at 11.6 s and told t = 3, that is (13.5, 14.6], and of one and
// the same window (14.0, 14.6].
type span struct{ lo, hi Instant }

// resetSpan is when a reset happens that a response tells, or so much later.
func resetSpan(now, sent Instant, reset, late time.Duration) span {
	if reset < 0 {
		return span{}
	}
	return span{lo: sent.Add(reset - rounding), hi: now.Add(reset + late)}
}

func (s span) known() bool { return s != span{} }

func (s span) mid() Instant { return s.lo.Add(s.hi.Sub(s.lo) / 2) }

func (s span) shift(d time.Duration) span { return span{lo: s.lo.Add(d), hi: s.hi.Add(d)} }

// rounded is the span if times are rounded by one second more than is known.
func (s span) rounded() span { return span{lo: s.lo.Add(-time.Second), hi: s.hi.Add(time.Second)} }

// meets reports whether both can be true at once.
func (s span) meets(t span) bool { return max(s.lo, t.lo) < min(s.hi, t.hi) }

// and is the span in which both are true, or s if they exclude each other.
func (s span) and(t span) span {
	if !s.meets(t) {
		return s
	}
	return span{lo: max(s.lo, t.lo), hi: min(s.hi, t.hi)}
}

// ends are those of the windows of a limit: the one that an answer told of, and one more every window after it.
type ends struct {
	told  span    // of the window that an answer told of last; zero: not known
	began int64   // own units sent before the last window began that they were sent in
	index int32   // which one that is after the one told of
	phase float32 // in [0, 1): where in its first interval this client enters the next window
}

// end is that of the window that is open.
func (a *account) end(m moment) span { return a.ends.told.shift(m.later) }

// begins reports whether a reading is the first of a new window.
func (e *ends) begins(a *account, r *reading) bool {
	rose := a.back(r) > r.above
	canBeSame := r.sent <= e.told.hi && (r.now <= e.told.lo || !rose)
	switch {
	case !e.told.known():
		return false
	case !r.end.known():
		return !canBeSame
	case r.end.meets(e.told) && canBeSame:
		return false
	default: // where it is of the same window, the server rounds more than a second
		return rose || !r.end.meets(e.told.rounded()) || r.now > e.told.rounded().hi
	}
}

// isNext reports whether a reading is surely of a window that began after the one told of.
func (e *ends) isNext(r *reading) bool {
	return r.sent > e.told.hi || r.end.known() && r.end.lo >= e.told.hi
}

// next is the end of the window that a reading begins.
func (e *ends) next(a *account, r *reading) span {
	switch {
	case a.source == fromCounts:
		return span{lo: a.sent.Add(a.window), hi: r.now.Add(a.window)}.and(r.end)
	case !r.end.known():
		return a.end(r.moment)
	case a.window <= 0:
		return r.end
	default: // the window before was open when its last answer was on its way
		return r.end.and(span{lo: a.sent.Add(a.window), hi: r.now.Add(a.window)})
	}
}

// learn takes in the end that a reading tells of.
func (e *ends) learn(a *account, r *reading) {
	switch {
	case r.fresh:
		e.told, e.began, e.phase = e.next(a, r), a.mark, float32(r.cfg.chance())
	case !e.told.known():
		e.told, e.phase = r.end, float32(r.cfg.chance())
	case r.end.known() && a.source == fromCounts && r.now <= e.told.lo: // as the beginning says, which was seen
		e.told = e.told.and(r.end)
	case r.end.known():
		e.told = r.end.and(e.told)
	}
	e.index = 0
}

// late is by how much later than told a reset may be. Servers round times up, or cut them to the second: t = 0
// while units are missing shows that.
//
// Say a window ends at 10.9 s and that is told as 10 s. At 10.2 s t is 0, and the window goes on for 0.7 s.
func (a *account) late(in *limits.Told, reset time.Duration) time.Duration {
	if reset == 0 && in.Remaining > 0 && in.Remaining+1 < a.quota && a.source != fromServer {
		made(&a.kept).cut = true
	}
	if a.past().cut {
		return rounding
	}
	return 0
}
