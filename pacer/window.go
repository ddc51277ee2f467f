package pacer

import "time"

// end says where a window ends: somewhere in (lo, hi].
type end struct {
	lo, hi  Instant
	guessed bool // no answer has told of this window yet
}

func (e end) known() bool  { return e.hi != 0 }
func (e end) mid() Instant { return e.lo + (e.hi-e.lo)/2 }

// tell is what one response says: t is in whole seconds, rounded up, and counts
// from some moment between sending and receipt.
func tell(now, sent Instant, reset time.Duration) end {
	if reset < 0 {
		return end{}
	}
	return end{lo: sent.Add(reset - time.Second), hi: now.Add(reset)}
}

func (e end) meets(f end) bool { return max(e.lo, f.lo) < min(e.hi, f.hi) }

func (e end) wider(d time.Duration) end { return end{lo: e.lo.Add(-d), hi: e.hi.Add(d)} }

// and is where both hold; e where they exclude each other.
func (e end) and(f end) end {
	if !e.meets(f) {
		return e
	}
	return end{lo: max(e.lo, f.lo), hi: min(e.hi, f.hi)}
}

// before is the end that an answer last told of.
func (e end) before(w time.Duration) end {
	if !e.guessed {
		return e
	}
	return end{lo: e.lo.Add(-w), hi: e.hi.Add(-w)}
}

// roll moves the end on by as many windows as have passed.
func (e *end) roll(now Instant, w time.Duration) {
	d := scale(w, float64(now.Sub(e.hi)/w+1))
	e.lo, e.hi, e.guessed = e.lo.Add(d), e.hi.Add(d), true
}

// rate is the rate that spreads what is left over what is left of the window.
func (e end) rate(now Instant, left, nominal float64, sure bool) float64 {
	rate := nominal
	if !e.known() {
		return rate
	}
	if until := e.hi.Sub(now); until > 0 {
		spread := left / float64(until)
		if !sure {
			return max(nominal/2, min(spread, 2*nominal))
		}
		rate = max(nominal, min(spread, 2*nominal))
	}
	if until := e.lo.Sub(now); until > 0 {
		rate = min(rate, (left+1)/float64(until))
	}
	return rate
}
