package debug

import (
	"time"

	"github.com/headway-go/headway"
)

// waitingFor is why the first request that waits does; "" if none waits. The state tells it of the
// queue, which those that wait for the Ceiling have left.
func waitingFor(s *headway.PartitionState) headway.Cause {
	if s.Waiting > 0 && s.Cause == "" {
		return headway.CauseCeiling
	}
	return s.Cause
}

// waits says how many requests wait, and for what the first does.
func waits(s *headway.PartitionState) string {
	return plural(s.Waiting, "waits", "wait") + forWhat(s)
}

func forWhat(s *headway.PartitionState) string {
	switch waitingFor(s) {
	case headway.CauseHold:
		return " until a hold is over"
	case headway.CauseQuota:
		return " for the " + quota(s.Policy)
	case headway.CausePace:
		return " for the pace"
	case headway.CauseTrial:
		return " for the pace found by trial"
	case headway.CauseStart:
		return " for the first answer"
	case headway.CausePlaces:
		return " for a place"
	case headway.CauseCeiling:
		return " for the Ceiling"
	case headway.CauseQueue: // nothing keeps the first from going
	}
	return ""
}

// next says when the first that waits is to go. When the Ceiling lets one go is not known.
func next(now time.Time, s *headway.PartitionState) string {
	switch {
	case !s.Next.IsZero():
		return "next in " + about(s.Next.Sub(now))
	case waitingFor(s) == headway.CauseCeiling:
		return ""
	default:
		return "next when another ends"
	}
}
