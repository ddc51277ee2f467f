package debug

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
)

func TestMostInteresting(t *testing.T) {
	partition := func(name string, set func(*headway.PartitionState)) headway.PartitionState {
		s := unknown()
		s.Partition = name
		set(&s)
		return s
	}
	states := []headway.PartitionState{ // in the order of State, by name
		partition("a idle", func(*headway.PartitionState) {}),
		partition("b sends a little", func(s *headway.PartitionState) { s.Sending = 0.02 }),
		partition("c Sends", func(s *headway.PartitionState) { s.Sending = 1.1 }),
		partition("e used up", func(s *headway.PartitionState) { withLimit(s, usedUpFor(time.Minute)) }),
		partition("f held", func(s *headway.PartitionState) { s.HeldUntil = in(time.Minute) }),
		partition("h many wait", func(s *headway.PartitionState) { s.Waiting, s.WaitingSince = 30, in(-time.Second) }),
		partition("i waits and is held", func(s *headway.PartitionState) { s.Waiting, s.HeldUntil = 1, in(time.Minute) }),
		partition("j waits for quota", func(s *headway.PartitionState) {
			s.Waiting = 1
			withLimit(s, usedUpFor(time.Minute))
		}),
		partition("k waits for the Ceiling", func(s *headway.PartitionState) { s.Waiting = 1 }),
	}
	names := func(found []candidate) (names []string) {
		for _, c := range found {
			names = append(names, c.Partition)
		}
		return names
	}
	require.Equal(t, []string{
		"i waits and is held", "j waits for quota", "h many wait", "f held", "e used up",
		"c Sends", "b sends a little", "a idle", "k waits for the Ceiling",
	}, names(mostInteresting(noon, states, newFilter(""))))
	require.Equal(t, []string{"c Sends", "b sends a little"}, names(mostInteresting(noon, states, newFilter("SENDS"))))
	require.Empty(t, mostInteresting(noon, states, newFilter("nothing of that name")))
	require.Empty(t, mostInteresting(noon, nil, newFilter("")))
}
