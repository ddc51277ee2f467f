package debug

import (
	"time"

	"github.com/headway-go/headway"
)

// A State says what happens to a request that is made now. It applies to the partition as a whole, although a
// limit may be one that only some routes use.
type State string

// The states. The first one that applies is used.
const (
	Held    State = "held"    // nothing is sent until a hold ends
	Waiting State = "waiting" // requests wait, and a new one waits behind them
	Full    State = "full"    // no request waits yet, but a new one will: all places are taken, or a quota is used up
	Paced   State = "paced"   // a new request goes at the pace
	Free    State = "free"    // a new request goes at once: no limit sets a pace
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

// placesTaken reports whether a new request has to wait until another one ends.
func placesTaken(s *headway.PartitionState) bool {
	return s.Places >= 0 && s.InFlight >= s.Places
}

// closedLimit returns the limit that is held or used up for the longest time; nil if none is.
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

// opens returns the end of a limit's hold, or of its used-up window; zero if neither is in force. A refilling
// limit never counts as used up, as units come back before the server's next report.
func opens(l *headway.LimitState) time.Time {
	if l.Remaining == 0 && !l.Refills && l.LatestEnd.After(l.HeldUntil) {
		return l.LatestEnd
	}
	return l.HeldUntil
}
