package debug

import (
	"fmt"
	"time"

	"github.com/headway-go/headway"
)

// A row has the page's texts on a partition. Each has a smaller remark, which may be empty.
type row struct {
	Name, Hash string
	State      State

	Doing, Then            string
	Sending, Pace          string
	InFlight, Places       string
	Queue, Oldest          string
	Throttled, ThrottledAt string

	Limits []limitRow
}

func newRow(now time.Time, s *headway.PartitionState) row {
	r := row{
		State:   stateOf(now, s),
		Sending: perTime(finite(s.Sending), referenceRate(s)), Pace: pace(s),
		InFlight: count(int64(s.InFlight)), Queue: count(int64(s.Waiting)), Throttled: "never",
	}
	r.Name, r.Hash = splitName(s.Partition)
	r.Doing, r.Then = doing(now, s, r.State)
	if s.Places >= 0 {
		r.Places = "of " + plural(s.Places, "place", "places")
	}
	if !s.WaitingSince.IsZero() {
		r.Oldest = "oldest " + about(now.Sub(s.WaitingSince))
	}
	if !s.LastThrottled.IsZero() {
		r.Throttled = about(now.Sub(s.LastThrottled)) + " ago"
		r.ThrottledAt = clockTime(now, moment(s.LastThrottled))
	}
	for i := range s.Limits {
		r.Limits = append(r.Limits, newLimitRow(now, &s.Limits[i], s.Members))
	}
	return r
}

// referenceRate returns the rate that chooses the unit for all rates of the partition. Per second, a slow pace
// would be shown as 0.
func referenceRate(s *headway.PartitionState) float64 {
	if pace := finite(s.Pace); pace > 0 {
		return pace
	}
	return finite(s.Sending)
}

func pace(s *headway.PartitionState) string {
	switch pace := finite(s.Pace); {
	case pace <= 0:
		return ""
	case s.Trial > 0:
		return "pace " + perTime(pace, referenceRate(s)) + ", by trial"
	default:
		return "pace " + perTime(pace, referenceRate(s))
	}
}

// doing says what a partition does now, and what comes next.
func doing(now time.Time, s *headway.PartitionState, state State) (doing, then string) {
	switch state {
	case Held:
		return "held until " + clockTime(now, moment(s.HeldUntil)), "in " + about(s.HeldUntil.Sub(now))
	case Waiting:
		return waits(s), next(now, s) + last(now, s)
	case Full:
		return usedUp(now, s)
	case Paced:
		return "paced at " + perTime(finite(s.Pace), referenceRate(s)), thousand(s)
	default:
		return "free", ""
	}
}

func usedUp(now time.Time, s *headway.PartitionState) (doing, then string) {
	l := closedLimit(now, s)
	if l == nil {
		return "all places are taken", ""
	}
	what := " is used up"
	if l.HeldUntil.After(now) {
		what = " is held"
	}
	until := opens(l)
	return quota(l.Policy) + what, "until " + clockTime(now, moment(until)) + ", in " + about(until.Sub(now))
}

func quota(policy string) string {
	if policy == "" {
		return "quota"
	}
	return "quota of “" + visible(policy) + "”"
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%s %s", count(int64(n)), many)
}
