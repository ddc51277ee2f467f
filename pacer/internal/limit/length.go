package limit

import "math"

const (
	unknownWindow = 60.0         // seconds: first guess of a window without a reset. Longer: a short window stays unused. Shorter: the quota of a long one goes at once
	mostGuess     = 3600.0       // seconds: longest guess by doubling; longer times need a check. Longer: waits in vain. Shorter: more refusals by quotas of a day
	farReset      = 10.0         // times the guess: such a reset counts if two in a row report it. Less: real windows are learned late. More: mistakes count
	guessFades    = 0.8          // of a guess that a window confirms: perhaps the window was over earlier. Less: refusals. More: slow to find a shorter window
	intervalMost  = 32 * 86400.0 // seconds: longest interval, and longest guess. Longer: waits in vain. Shorter: refusals by quotas of a month
	idlePart      = 16.0         // of a window: a request so late after its end was not waiting for it. More: as guessFades. Less: seldom requests shorten the guess
)

// A length measures a window whose length no response reports.
//
// A window is at least as long as a reset. If no reset is reported, the window is taken for a minute at first. If none
// is of more than two seconds, r measures the window. If r rises to the whole quota, or by half of it, a window has
// begun. Two beginnings bound its length.
//
// Every guess fades towards shorter windows, so a wrong one is found out. See refill for units that come back one by one.
type length struct {
	Begun             span    // when the last window began whose beginning was seen
	Shortest, Longest float64 // bounds of w by beginnings; longest is 0 before the second one
	Confirmed         float64 // w when a window last ended as expected
	Watched           float64 // the first response, or the last beginning
	Refill            refill

	Reset     float64 // the longest reset of late: of the windows that a fleet agrees on, the own evidence
	HasResets bool    // the last response reported a reset, and one of them was of more than two seconds
	IsFar     bool    // the last reset was far
}

// guessWindow takes over what a response says of a window whose length it does not report.
func (l *Limit) guessWindow(left, reset float64) {
	if l.Length == nil {
		l.Length = &length{}
	}
	m := l.Length
	guess := l.Window
	if !m.HasResets { // a first reset of a second or two says little
		guess = max(guess, unknownWindow)
	}
	isFar := l.Window > 0 && reset > farReset*guess
	switch {
	case reset > 2*rounding:
		m.HasResets = true
		if !isFar || m.IsFar {
			l.Window, m.Reset = max(l.Window, reset), max(m.Reset, reset)
		}
	case l.Window == 0 && l.Quota > 0 && left >= 0:
		if l.Window = unknownWindow; reset >= 0 {
			l.Window, m.Reset = max(reset, rounding), max(reset, rounding)
		}
	}
	m.HasResets, m.IsFar = m.HasResets && reset >= 0, isFar
}

// measure measures the window by a reading, and finds out whether another one has begun.
func (l *Limit) measure(in *report) {
	m := l.Length
	if m.Watched == 0 {
		m.Watched = l.Seen
		m.Refill = refill{Refused: l.Seen, Begun: start{l.Seen, l.Left, l.Mark}}
	}
	isLate := l.Ends.known() && in.Sent > l.Ends.Hi+l.Window/idlePart // the client was idle, which shows nothing
	if !m.HasResets {
		in.fresh = l.measureWindow(in)
	}
	if in.fresh && l.Belief.Believed == asWindow && !isLate {
		l.lowerGuess(in)
	}
	l.measureRefill(in)
}

// measureWindow measures a window by its beginnings. It reports whether one began since the last reading.
func (l *Limit) measureWindow(in *report) bool {
	m, b := l.Length, l.Belief.Believed
	back := in.Left - (l.Left - in.own)
	rose := back > in.above+0.01
	// A bucket may be full at any time, so these units count only if a bucket's rate does not explain them.
	isWhole := in.Left+max(in.own, in.Cost) >= l.Quota && (m.Longest == 0 || back > 1.5+l.nominal()*(in.Seen-l.Seen))
	switch {
	case rose && (isWhole && (b == asWindow || b == asCounter) || 2*back >= l.Quota):
		l.windowBegan(span{l.Sent, in.Seen})
		l.Ends = m.Begun // next moves it by a window
		return true
	case rose: // perhaps a window began, but its length does not follow from the last beginning
		m.Begun = span{}
		return true
	case l.Ends.known() && b == asWindow && in.Sent > l.Ends.Hi:
		l.raiseGuess(in)
	}
	return false
}

// raiseGuess raises the guess when a window has not ended as expected.
func (l *Limit) raiseGuess(in *report) {
	m, before := l.Length, l.Window
	if m.Shortest = in.Sent - m.Begun.Hi; m.Begun.known() && m.Shortest < m.Longest {
		l.Window = (m.Shortest + m.Longest) / 2
	} else {
		m.Shortest, m.Longest = 0, 0
		l.Window = min(2*l.Window, max(before, mostGuess))
	}
	l.Ends = l.Ends.shift(l.Window - before)
}

// windowBegan records the beginning of a window. Since the last recorded one, others may have begun.
func (l *Limit) windowBegan(then span) {
	m := l.Length
	if m.Begun.known() {
		n := 1.0
		if m.Longest > 0 {
			n = max(1, math.Floor((then.mid()-m.Begun.mid())/l.Window+0.5))
		}
		shortest, longest := max(then.Lo-m.Begun.Hi, 0)/n, (then.Hi-m.Begun.Lo)/n
		if m.Longest == 0 || shortest > m.Longest || longest < m.Shortest {
			m.Shortest, m.Longest = shortest, longest
		}
		m.Shortest, m.Longest = max(m.Shortest, shortest), min(m.Longest, longest)
		if l.Window < m.Shortest || l.Window > m.Longest {
			l.Window = max((m.Shortest+m.Longest)/2, rounding)
		}
	}
	m.Begun, m.Watched = then, then.Hi
}

// lowerGuess lowers the guess when a window has begun: it may have begun earlier than expected.
func (l *Limit) lowerGuess(in *report) {
	m := l.Length
	if m.HasResets && in.Reset >= 0 { // a window that began after the last reading ends at this reset
		most := in.end.Hi - l.Sent
		l.Window, m.Reset = min(l.Window, max(most, guessFades*l.Window, rounding)), min(m.Reset, max(most, guessFades*m.Reset))
	}
	if in.Seen < l.Ends.Lo {
		return
	}
	m.Confirmed = l.Window
	if m.HasResets {
		return
	}
	if l.Window > 1.1*m.Shortest {
		l.Window = max(guessFades*l.Window, (m.Shortest+l.Window)/2, rounding)
	}
}

// longest returns the longest interval: every client may send one request in a window, unless a fleet allots less. A
// window that is a guess may be much shorter: the interval is at most a second more than was watched at the last slot.
func (l *Limit) longest(now float64) float64 {
	m := l.Length
	if p := l.Allotted(now); p != nil && p.Share > 0 {
		return math.Inf(1)
	}
	if m == nil || m.Watched == 0 || m.HasResets || m.Longest > 0 && m.Longest <= 2*m.Shortest {
		return min(l.Window, intervalMost)
	}
	return min(l.Window, max(l.Line.At-m.Watched, 0)+rounding)
}
