package debug

import (
	"time"

	"github.com/headway-go/headway"
)

// A State says what becomes of a request that is made now, as far as can be said of
// all requests of a partition: a limit may be one that only some of its routes use.
type State string

// The states, of which the first that applies counts.
const (
	Held    State = "held"    // nothing is sent before a time
	Waiting State = "waiting" // requests wait; a new one waits behind them
	Full    State = "full"    // none waits yet, but a new one will: all places are taken, or a quota is used up
	Paced   State = "paced"   // it goes at the pace
	Free    State = "free"    // it goes at once: no limit sets a pace
)

func stateOf(now time.Time, s *headway.PartitionState) State {
	switch {
	case s.HeldUntil.After(now):
		return Held
	case s.Waiting > 0:
		return Waiting
	case placesTaken(s) || closedLimit(now, s) != nil:
		return Full
	case finite(s.Pace) > 0:
		return Paced
	}
	return Free
}

// placesTaken reports whether a request has to wait for another one to end.
func placesTaken(s *headway.PartitionState) bool {
	return s.Places >= 0 && s.InFlight >= s.Places
}

// closedLimit returns the limit that lets nothing through for the longest time; nil if
// there is none.
func closedLimit(now time.Time, s *headway.PartitionState) *headway.LimitState {
	var closed *headway.LimitState
	latest := now
	for i := range s.Limits {
		if until := opens(&s.Limits[i]); until.After(latest) {
			closed, latest = &s.Limits[i], until
		}
	}
	return closed
}

// opens returns when a limit lets something through that is held or used up; zero if it
// is neither. One that refills is never used up for long: what remains of it is what was told.
func opens(l *headway.LimitState) time.Time {
	if l.Remaining == 0 && !l.Refills && l.EndsBy.After(l.HeldUntil) {
		return l.EndsBy
	}
	return l.HeldUntil
}
