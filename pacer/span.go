package pacer

import "time"

// A span says when something happens: at some time in (lo, hi]. The zero span
// says nothing.
type span struct{ lo, hi Instant }

// resetSpan is when a window ends if a response that was sent for at sent and
// received at now says that it does in reset: whole seconds, rounded up, counted
// from some time between the two (draft-10 §3.2 leaves open which).
func resetSpan(now, sent Instant, reset time.Duration) span {
	if reset < 0 {
		return span{}
	}
	return span{lo: sent.Add(reset - time.Second), hi: now.Add(reset)}
}

func (s span) known() bool { return s != span{} }

func (s span) mid() Instant { return s.lo.Add(s.hi.Sub(s.lo) / 2) }

func (s span) shift(d time.Duration) span { return span{lo: s.lo.Add(d), hi: s.hi.Add(d)} }

func (s span) widen(d time.Duration) span { return span{lo: s.lo.Add(-d), hi: s.hi.Add(d)} }

// meets reports whether both can be true at once.
func (s span) meets(t span) bool { return max(s.lo, t.lo) < min(s.hi, t.hi) }

// and is the span in which both are true, or s if they exclude each other.
func (s span) and(t span) span {
	if !s.meets(t) {
		return s
	}
	return span{lo: max(s.lo, t.lo), hi: min(s.hi, t.hi)}
}
