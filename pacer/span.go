package pacer

import (
	"time"

	"github.com/headway-go/headway/limits"
)

// A span is the interval (lo, hi] in which an event happens, such as the end of a window. The zero span is
// unknown. Each reading gives a span for the end of the current window, and all together narrow it down.
//
// The reset t is a whole number of seconds, rounded up, and was true at some moment between sending and receipt. For
// example, a request sent at 10.0 s, with a response at 10.2 s and t = 5, gives an end in (14.0, 15.2]. The next one,
// sent at 11.5 s, with a response at 11.6 s and t = 3, gives (13.5, 14.6]. Together they give (14.0, 14.6].
type span struct{ lo, hi Instant }

// resetSpan returns when a reported reset happens, which is at most late after the reported time.
func resetSpan(now, sent Instant, reset, late time.Duration) span {
	if reset < 0 {
		return span{}
	}
	return span{lo: sent.Add(reset - rounding), hi: now.Add(reset + late)}
}

func (s span) known() bool { return s != span{} }

func (s span) mid() Instant { return s.lo.Add(s.hi.Sub(s.lo) / 2) }

func (s span) shift(d time.Duration) span { return span{lo: s.lo.Add(d), hi: s.hi.Add(d)} }

// rounded returns the span for times that are rounded by one more second.
func (s span) rounded() span { return span{lo: s.lo.Add(-time.Second), hi: s.hi.Add(time.Second)} }

// meets reports whether the spans overlap.
func (s span) meets(t span) bool { return max(s.lo, t.lo) < min(s.hi, t.hi) }

// and returns the overlap of both spans; s if they do not overlap.
func (s span) and(t span) span {
	if !s.meets(t) {
		return s
	}
	return span{lo: max(s.lo, t.lo), hi: min(s.hi, t.hi)}
}

// ends stores when the windows of a limit end: the last reported one, and one every window after it.
type ends struct {
	told  span    // the end of the last reported window; zero: unknown
	began int64   // own units sent before the window in which this client last sent
	index int32   // that window: 0 is the last reported one, 1 the next
	phase float32 // in [0, 1): the client's random place among the clients that enter the next window
}

// end returns the end of the current window.
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
	default: // for the same window, the server would have to round by more than a second
		return rose || !r.end.meets(e.told.rounded()) || r.now > e.told.rounded().hi
	}
}

// isNext reports whether a reading certainly belongs to a later window.
func (e *ends) isNext(r *reading) bool {
	return r.sent > e.told.hi || r.end.known() && r.end.lo >= e.told.hi
}

// next returns the end of the window that a reading begins.
func (e *ends) next(a *account, r *reading) span {
	switch {
	case a.source == fromCounts:
		return span{lo: a.sent.Add(a.window), hi: r.now.Add(a.window)}.and(r.end)
	case !r.end.known():
		return a.end(r.moment)
	case a.window <= 0:
		return r.end
	default: // the last window was open at its last reading
		return r.end.and(span{lo: a.sent.Add(a.window), hi: r.now.Add(a.window)})
	}
}

// learn updates the end with a reading.
func (e *ends) learn(a *account, r *reading) {
	switch {
	case r.fresh:
		e.told, e.began, e.phase = e.next(a, r), a.mark, float32(r.cfg.chance())
	case !e.told.known():
		e.told, e.phase = r.end, float32(r.cfg.chance())
	case r.end.known() && a.source == fromCounts && r.now <= e.told.lo: // consistent with the beginning, which was seen
		e.told = e.told.and(r.end)
	case r.end.known():
		e.told = r.end.and(e.told)
	}
	e.index = 0
}

// late returns by how much a reset may be later than reported. Servers round times up, or cut off the
// fraction. t = 0 with units missing shows a server that cuts.
//
// An example: a window ends at 10.9 s, and the server reports 10 s. At 10.2 s t is 0, but the window lasts
// 0.7 s longer.
func (a *account) late(in *limits.Told, reset time.Duration) time.Duration {
	if reset == 0 && in.Remaining > 0 && in.Remaining+1 < a.quota && a.source != fromServer {
		ensure(&a.kept).cut = true
	}
	if a.past().cut {
		return rounding
	}
	return 0
}
