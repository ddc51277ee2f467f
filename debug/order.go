package debug

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/headway-go/headway"
)

// maxShown bounds the partitions of a Transport on the page. More would not help readers, and would slow the
// browser.
const maxShown = 200

// longWait is the wait from which on a request gets attention. Shorter waits happen all the time when
// requests come a little faster than the pace.
const longWait = time.Second

// A filter selects partitions by a part of their name. "" selects all.
type filter struct{ text, lower string }

func newFilter(text string) filter { return filter{text, strings.ToLower(text)} }

func (f filter) matches(name string) bool {
	return f.lower == "" || strings.Contains(strings.ToLower(name), f.lower)
}

// A candidate is a partition that may be shown.
type candidate struct {
	*headway.PartitionState
	class     int     // what the partition is doing
	magnitude float64 // of the queue if requests wait, and otherwise of the sending rate
}

// The classes of partitions. The first ones need most attention.
const (
	stuck   = iota // requests wait for a hold or a used-up quota
	waiting        // requests have waited for longWait or more
	held
	full
	other
)

// mostInteresting returns the partitions that match the filter, ordered by class, magnitude and name. The
// name keeps rows in the same order at each refresh.
func mostInteresting(now time.Time, states []headway.PartitionState, f filter) []candidate {
	var all []candidate
	for i := range states {
		if s := &states[i]; f.matches(s.Partition) {
			all = append(all, newCandidate(now, s))
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { // a stable sort keeps State's order by name
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

// magnitude returns the power of ten of x. Less than one in three hours counts as 0.
func magnitude(x float64) float64 { return math.Floor(math.Log10(max(x, 1e-4))) }
