package debug

import (
	"time"

	"github.com/headway-go/headway"
)

// waitingFor returns what the first waiting request waits for; "" if none waits. PartitionState has the cause
// for the queue only, and requests that wait for the Ceiling have left the queue.
func waitingFor(s *headway.PartitionState) headway.Cause {
	if s.Waiting > 0 && s.Cause == "" {
		return headway.CauseCeiling
	}
	return s.Cause
}

// waits says how many requests wait, and for what.
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
		return " for the first response"
	case headway.CausePlaces:
		return " for a request in flight to end"
	case headway.CauseCeiling:
		return " for the Ceiling"
	case headway.CauseQueue: // the first request may go now
	}
	return ""
}

// last says when the last of several waiting requests may go, and how long more would take; "" if that is unknown.
func last(now time.Time, s *headway.PartitionState) (text string) {
	if s.Waiting > 1 && s.Last.After(now) {
		text = ", last in " + about(s.Last.Sub(now))
	}
	if more := thousand(s); more != "" {
		text += ", " + more
	}
	return text
}

// thousand says how long 1,000 more requests would take; "" if that is unknown, or less than a second.
func thousand(s *headway.PartitionState) string {
	if s.Thousand < time.Second {
		return ""
	}
	return "1,000 more in " + span(s.Thousand.Round(time.Second))
}

// next says when the first waiting request may go; "" if it waits for the Ceiling, whose time is unknown.
func next(now time.Time, s *headway.PartitionState) string {
	switch {
	case !s.Next.IsZero():
		return "next in " + about(s.Next.Sub(now))
	case waitingFor(s) == headway.CauseCeiling:
		return ""
	default:
		return "next when a request in flight ends"
	}
}
