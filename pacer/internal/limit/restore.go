package limit

import (
	"cmp"
	"math"
	"slices"
)

// Restored goes on with a limit of an earlier process: its windows end at latest, and its next slot is in the window
// after from.
func (l *Limit) Restored(latest, from float64) {
	l.Window = min(l.Window, mostGuess*max(1, l.Quota)) // so that a wrong one is not less than a unit per hour
	if m := l.Length; m != nil {                        // responses show a longer guess again
		l.Window = min(l.Window, max(m.Confirmed, mostGuess))
		m.Reset = min(m.Reset, l.Window)
	}
	l.Ends.Hi = min(l.Ends.Hi, latest)
	l.Ends.Lo = min(l.Ends.Lo, l.Ends.Hi)
	l.Line.At = min(l.Line.At, from+l.Window, latest)
	l.Share.settle()
	l.Granted, l.Ahead = true, l.own() // requests in flight may never have arrived
}

// IsPossible reports whether a limit can be as it is. Times of the past are not after now.
func (l *Limit) IsPossible(now float64) bool {
	h, s, m := &l.History, &l.Share, cmp.Or(l.Length, &length{})
	r := &m.Refill
	times := []float64{l.Sent, l.Seen, h.Peaked, h.OthersAt, m.Begun.Hi, m.Watched, r.Begun.At, r.Full.At, r.Refused}
	numbers := []float64{
		l.Quota, l.Window, l.Left + 1, l.Units, l.Mark, l.Behind, l.Spread, l.Before, l.Line.Owed, s.Own, s.All - s.Own,
		m.Shortest, m.Longest, m.Confirmed, m.Reset,
	}
	for _, e := range h.Own {
		times, numbers = append(times, e.First, e.Last), append(numbers, e.Last-e.First, e.Units)
	}
	return l.Belief.Believed < candidates && len(h.Own) <= 2*entries && (l.Window == 0 || l.Window >= eps) &&
		within(now, times) && within(math.MaxInt64, numbers) && within(beliefMost, l.Belief.Scores[:])
}

func within(most float64, values []float64) bool {
	return slices.Min(values) >= 0 && slices.Max(values) <= most
}
