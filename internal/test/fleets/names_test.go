package fleets

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/handfleet"
	"github.com/headway-go/headway/internal/test/kit"
)

// All processes of a fleet show one name of a partition, and wherever it is shown: it has a hash that follows from the key of
// the fleet.
func TestNameInAFleet(t *testing.T) {
	const want = kit.Origin + "#412b7ab1be4553ab"
	synctest.Test(t, func(t *testing.T) {
		logger, out := kit.NewLogger(slog.LevelInfo)
		transport := kit.Seeded(t, &headway.Transport{
			Base: kit.InTurn(kit.Status(429, "Retry-After", "60")), Fleet: handfleet.New(), Logger: logger, MaxRetries: -1, MaxWait: time.Second,
		})
		req := kit.NewRequest(t, kit.URL, "Authorization", "Bearer hunter2")
		resp, err := transport.RoundTrip(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Contains(t, out.String(), want)
		require.Equal(t, want, transport.State()[0].Partition)
		_, err = transport.RoundTrip(req)
		var refused *headway.LimitError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, want, refused.Partition)
		require.True(t, transport.Forget(want))
		require.True(t, transport.Forget(headway.DefaultPartition(req)), "which a caller can know")
		require.False(t, transport.Forget(kit.Origin))
	})
}
