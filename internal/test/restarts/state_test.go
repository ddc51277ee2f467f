package restarts

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// State shows what was restored, until a request uses it. Then it has its own name.
func TestStateOfWhatWasRestored(t *testing.T) {
	const held = "https://held.example.com"
	synctest.Test(t, func(t *testing.T) {
		command := warmed(t, kit.InTurn(kit.UsedUp(), kit.Status(429, "Retry-After", "3600")), nil)
		command.MaxRetries = -1
		kit.Prime(t, command)
		require.NoError(t, tryFor(t, command, time.Second, held+"/"))
		before := command.State()
		require.Equal(t, []string{kit.Origin, held}, names(before))

		next := warmed(t, kit.InTurn(kit.UsedUp()), takeSnapshot(t, command))
		restored := next.State()
		require.Len(t, restored, 2)
		for i := range restored {
			require.Regexp(t, "^restored:[0-9a-f]{12}$", restored[i].Partition)
			require.False(t, next.Forget(restored[i].Partition))
		}
		if restored[0].HeldUntil.After(restored[1].HeldUntil) {
			restored[0], restored[1] = restored[1], restored[0]
		}
		require.Equal(t, before[0].Limits[0].Known, restored[0].Limits[0].Known)
		require.Equal(t, before[0].Limits[0].LatestEnd, restored[0].Limits[0].LatestEnd)
		require.InEpsilon(t, before[0].Pace, restored[0].Pace, 1e-6)
		require.WithinDuration(t, before[1].HeldUntil, restored[1].HeldUntil, time.Second)

		require.NoError(t, tryFor(t, next, 2*time.Minute, kit.URL))
		require.Equal(t, []string{kit.Origin, restored[1].Partition}, names(next.State()))
		require.Error(t, tryFor(t, next, time.Second, held+"/"))
		require.Equal(t, []string{kit.Origin, held}, names(next.State()))
	})
}

func names(states []headway.PartitionState) (all []string) {
	for i := range states {
		all = append(all, states[i].Partition)
	}
	return all
}
