package debug

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/limits"
)

// noon is the current time in the tests.
var noon = time.Date(2026, time.January, 2, 12, 0, 0, 0, time.UTC)

func in(d time.Duration) time.Time { return noon.Add(d) }

// unknown returns the state of a partition about which nothing is known.
func unknown() headway.PartitionState { return headway.PartitionState{Places: -1} }

func unknownLimit() headway.LimitState {
	return headway.LimitState{Known: limits.Known{Quota: -1, Remaining: -1, Window: -1, Share: 1}}
}

// A situation is a state of a partition, with the text that describes it.
type situation struct {
	set          func(*headway.PartitionState)
	state        State
	doing, later string
}

func withLimit(s *headway.PartitionState, set func(*headway.LimitState)) {
	l := unknownLimit()
	set(&l)
	s.Limits = append(s.Limits, l)
}

func usedUpFor(d time.Duration) func(*headway.LimitState) {
	return func(l *headway.LimitState) { l.Policy, l.Remaining, l.LatestEnd = "minute", 0, in(d) }
}

var situations = map[string]situation{
	"nothing known": {func(*headway.PartitionState) {}, Free, "free", ""},
	"places taken": {func(s *headway.PartitionState) {
		s.Places, s.InFlight = 3, 3
	}, Full, "all places are taken", ""},
	"paced": {func(s *headway.PartitionState) {
		s.Pace, s.Sending = 2.5, 0.1
	}, Paced, "paced at 2.50/s", ""},
	"used up": {func(s *headway.PartitionState) {
		s.Pace = 2
		withLimit(s, usedUpFor(12*time.Second))
	}, Full, "quota of “minute” is used up", "until 12:00:12, in 12 s"},
	"used up, but refills": {func(s *headway.PartitionState) {
		s.Pace = 2
		withLimit(s, func(l *headway.LimitState) { l.Remaining, l.LatestEnd, l.Refills = 0, in(time.Second), true })
	}, Paced, "paced at 2.00/s", ""},
	"held": {func(s *headway.PartitionState) {
		s.HeldUntil, s.Pace = in(90*time.Second), 1
	}, Held, "held until 12:01:30", "in 1 min 30 s"},
	"held until a moment ago, and requests wait": {func(s *headway.PartitionState) {
		s.HeldUntil, s.Waiting, s.Next, s.Cause = in(-1), 2, in(time.Second), headway.CauseHold
	}, Waiting, "2 wait until a hold is over", "next in 1 s"},
	"waits for the pace, not for the quota that others use": {func(s *headway.PartitionState) {
		s.Waiting, s.Pace, s.Next, s.Cause, s.Policy = 11, 2, in(400*time.Millisecond), headway.CausePace, "hour"
		withLimit(s, usedUpFor(12*time.Second))
	}, Waiting, "11 wait for the pace", "next in 0.4 s"},
	"waits for quota": {func(s *headway.PartitionState) {
		s.Waiting, s.Pace, s.Next, s.Cause, s.Policy = 1200, 2, in(13*time.Second), headway.CauseQuota, "search"
		withLimit(s, usedUpFor(12*time.Second))
	}, Waiting, "1,200 wait for the quota of “search”", "next in 13 s"},
	"waits for a place": {func(s *headway.PartitionState) {
		s.Waiting, s.Places, s.InFlight, s.Cause = 3, 1, 1, headway.CausePlaces
	}, Waiting, "3 wait for a request in flight to end", "next when a request in flight ends"},
}

func TestState(t *testing.T) {
	for name, c := range situations {
		t.Run(name, func(t *testing.T) {
			s := unknown()
			c.set(&s)
			require.Equal(t, c.state, stateOf(noon, &s))
			doing, later := doing(noon, &s, c.state)
			require.Equal(t, c.doing, doing)
			require.Equal(t, c.later, later)
			require.Equal(t, c.state, newPartition(noon, &s).State)
			require.Equal(t, c.state, newRow(noon, &s).State)
		})
	}
}
