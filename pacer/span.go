package pacer

import "time"

// A span says when something happens: at some time in (lo, hi]. The zero span says
// nothing.
//
// Servers tell the time to a reset in whole seconds, rounded up, counted from some
// moment between sending and receipt. A request that is sent at 10.0 s, answered at
// 10.2 s and told t = 5 so ends its window in (14.0, 15.2]. If the next one, sent at
// 11.5 s, is answered at 11.6 s and told t = 3, that is (13.5, 14.6], and of one and
// the same window (14.0, 14.6].
type span struct{ lo, hi Instant }

// resetSpan is when a reset happens that a response tells.
func resetSpan(now, sent Instant, reset time.Duration) span {
	if reset < 0 {
		return span{}
	}
	return span{lo: sent.Add(reset - time.Second), hi: now.Add(reset)}
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
