package limit

import "math"

const (
	rounding = 1.0  // servers round times to so many seconds, so no guess of a window is shorter
	slack    = 0.05 // spans that miss each other by less meet, because clocks and networks vary
)

// A span is the time (lo, hi] in which an event happens, such as the end of a window. The zero span is unknown.
type span struct{ Lo, Hi float64 }

func (s span) known() bool { return s != span{} }

func (s span) mid() float64 { return (s.Lo + s.Hi) / 2 }

func (s span) shift(d float64) span { return span{s.Lo + d, s.Hi + d} }

// meets reports whether the spans overlap, or nearly do.
func (s span) meets(t span) bool { return max(s.Lo, t.Lo) < min(s.Hi, t.Hi)+slack }

// and returns the overlap of both spans. If there is none, or s is unknown, it is t; s if t is unknown.
func (s span) and(t span) span {
	both := span{max(s.Lo, t.Lo), min(s.Hi, t.Hi)}
	switch {
	case !t.known():
		return s
	case !s.known() || both.Lo >= both.Hi:
		return t
	}
	return both
}

// reportedEnd returns when the window ends by a reading. t is whole seconds, rounded up, and was true at some moment between
// sending and receipt. A reset that is longer than the reported window counts as one window.
func (l *Limit) reportedEnd(r *Reading) span {
	reset := r.Reset
	if reset < 0 && r.Refused && r.Left < 1 {
		reset = r.Wait
	}
	switch {
	case reset < 0:
		return span{}
	case r.Left < 1 && reset == 0 && (r.Refused || l.Length != nil): // it has not ended yet, so t was rounded down
		return span{r.Sent, r.Seen + min(rounding, l.Window/4)}
	case l.Length == nil && reset > l.Window+2*rounding:
		return span{r.Sent, r.Seen + l.Window}
	}
	seen := r.Seen
	if l.Part != nil { // t may count from when the response was written, and each member would have to learn that by a refusal
		seen = r.Sent + r.Took
	}
	return span{r.Sent + reset - rounding, seen + reset}
}

// endAt returns when the window ends that is open at a time.
func (l *Limit) endAt(t float64) span {
	if t <= l.Ends.Hi || l.Window <= 0 || !l.Ends.known() {
		return l.Ends
	}
	return l.Ends.shift(l.Window * (math.Floor((t-l.Ends.Hi)/l.Window) + 1))
}

// begins reports whether a reading is the first of another window.
func (l *Limit) begins(in *report) bool {
	if !in.end.known() {
		return in.rose || in.Sent > l.Ends.Hi
	}
	return !in.end.meets(l.Ends) || in.rose && in.Seen > l.Ends.Lo
}

// next returns when the window of a reading ends.
func (l *Limit) next(in *report) span {
	if !in.fresh {
		return l.Ends.and(in.end)
	}
	return span{max(l.Sent, min(l.Ends.Lo, in.Sent)) + l.Window, in.Seen + l.Window}.and(in.end)
}

// usedBefore returns what all clients used in the window before the one that a reading begins. Early in the new window
// no more than the missing units show.
func (l *Limit) usedBefore(in *report) float64 {
	if part := (in.end.mid() - in.Seen) / l.Window; in.end.known() && part > 0.25 {
		return min(max((l.Quota-in.Left-in.Cost)/min(part, 1), 0), l.current())
	}
	return l.current()
}

// current returns what all clients have used of the window of the last reading.
func (l *Limit) current() float64 {
	part := min(max((l.Ends.mid()-l.Seen)/l.Window, 0), 1)
	return max(l.Quota-l.Left-l.Before*part, 0)
}
