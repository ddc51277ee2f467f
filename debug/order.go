package debug

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/headway-go/headway"
)

// maxShown is how many partitions of a Transport the page has: more are no use to a
// reader, and a burden to the browser.
const maxShown = 200

// longWait is how long a request must have waited to be worth a look: requests that come
// a little faster than the pace wait now and then.
const longWait = time.Second

// A filter lets partitions through by a part of their name. "" lets all through.
type filter struct{ text, lower string }

func newFilter(text string) filter { return filter{text, strings.ToLower(text)} }

func (f filter) matches(name string) bool {
	return f.lower == "" || strings.Contains(strings.ToLower(name), f.lower)
}

// A candidate is a partition that may be shown.
type candidate struct {
	*headway.PartitionState
	class     int     // what it is doing
	magnitude float64 // of its queue, if that is why it is shown, or of what it sends
}

// The classes of partitions, by how interesting they are.
const (
	stuck   = iota // requests wait for what is held or used up
	waiting        // requests have waited for long
	held
	full
	other
)

// mostInteresting returns those that the filter lets through, the most interesting
// first. It goes by classes and magnitudes, and by name among equals, so that rows do not
// change places each time.
func mostInteresting(now time.Time, states []headway.PartitionState, f filter) []candidate {
	var all []candidate
	for i := range states {
		if s := &states[i]; f.matches(s.Partition) {
			all = append(all, newCandidate(now, s))
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { // State has ordered them by name
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(b.magnitude, a.magnitude))
	})
	return all
}

func newCandidate(now time.Time, s *headway.PartitionState) candidate {
	c := candidate{PartitionState: s, class: classOf(now, s)}
	if c.class <= waiting {
		c.magnitude = magnitude(float64(s.Waiting))
	} else {
		c.magnitude = magnitude(s.Sending)
	}
	return c
}

func classOf(now time.Time, s *headway.PartitionState) int {
	isHeld := s.HeldUntil.After(now)
	switch {
	case s.Waiting > 0 && (isHeld || closedLimit(now, s) != nil):
		return stuck
	case s.Waiting > 0 && !s.WaitingSince.IsZero() && now.Sub(s.WaitingSince) >= longWait:
		return waiting
	case isHeld:
		return held
	case stateOf(now, s) == Full:
		return full
	}
	return other
}

// magnitude is the power of ten of x, for which what is less than one in three hours is nothing.
func magnitude(x float64) float64 { return math.Floor(math.Log10(max(x, 1e-4))) }
