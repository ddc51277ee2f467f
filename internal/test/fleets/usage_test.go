package fleets

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/handfleet"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/limits"
)

// Usage reports the active partitions: those with waiting requests, a hold or recent requests.
func TestFleetUsageIsOfActivePartitions(t *testing.T) {
	usedUp := kit.Status(http.StatusOK, "RateLimit", `"a";r=0;t=3600`, "RateLimit-Policy", `"a";q=10;w=3600`)
	for _, row := range []struct {
		name  string
		base  http.RoundTripper
		begin func(t *testing.T, transport *headway.Transport) // brings the partition into its state
		still bool                                             // still reported much later
	}{
		{"idle", kit.InTurn(handfleet.OfSixty(59)), func(*testing.T, *headway.Transport) {}, false},
		{"held", kit.InTurn(kit.Status(429, "Retry-After", "3600")), func(*testing.T, *headway.Transport) {}, true},
		{"waiting", kit.InTurn(usedUp), another, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := handfleet.New()
				transport := &headway.Transport{Base: row.base, Fleet: f, MaxRetries: -1}
				kit.Prime(t, transport)
				row.begin(t, transport)
				require.Len(t, f.Uses(t), 1)
				time.Sleep(30 * time.Second)
				require.Len(t, f.Uses(t), 1)
				time.Sleep(time.Nanosecond)
				require.Equal(t, row.still, len(f.Uses(t)) == 1)
				time.Sleep(20 * time.Minute)
				require.Equal(t, row.still, len(f.Uses(t)) == 1)
			})
		})
	}
}

// another makes a request that ends with the test.
func another(t *testing.T, transport *headway.Transport) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	go func() {
		if resp, err := kit.Get(ctx, transport, kit.URL); err == nil {
			_ = resp.Body.Close()
		}
	}()
	synctest.Wait()
}

func TestFleetUsage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport, f := handfleet.Shared(t, kit.InTurn(handfleet.OfSixty(50), kit.Status(429, "Retry-After", "7")))
		all := f.Uses(t)
		require.Len(t, all, 1)
		require.Zero(t, all[0].Held)
		l := all[0].Limits[0]
		require.InDelta(t, 59.5, l.Ends.Seconds(), 0.5)
		l.Ends = 0
		id := limits.ID{Policy: "minute", Unit: limits.Requests}
		require.Equal(t, limits.Use{ID: id, Quota: 60, Window: time.Minute, Sent: 1, Used: 1, Remaining: 50}, l)
		f.Tell(f.Agreement(t, 30))

		var clients sync.WaitGroup
		for range 3 {
			clients.Go(func() { kit.Prime(t, transport) })
		}
		synctest.Wait()
		all = f.Uses(t)
		require.Equal(t, 3, all[0].Limits[0].Waiting)
		require.Equal(t, 7*time.Second, all[0].Held)
		require.EqualValues(t, 2, all[0].Limits[0].Sent)
		clients.Wait()
	})
}

// Limits without a known quota or window are not shared, nor are those of unpaced requests.
func TestFleetUsageLeavesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, f := handfleet.Shared(t, kit.InTurn(kit.Status(200, "RateLimit", `"count";r=5`)))
		require.Len(t, f.Uses(t), 1)
		require.Empty(t, f.Uses(t)[0].Limits, "it has no window")

		_, f = handfleet.Shared(t, kit.InTurn(kit.Status(200)))
		require.Len(t, f.Uses(t), 1)
		require.Empty(t, f.Uses(t)[0].Limits)

		f = handfleet.New()
		transport := &headway.Transport{Base: kit.InTurn(handfleet.OfSixty(50)), Fleet: f, Partition: func(*http.Request) string { return "" }}
		kit.Prime(t, transport)
		require.Empty(t, f.Uses(t))
	})
}

// State shows the agreed part until the part ends.
func TestStateOfAFleetMember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport, f := handfleet.Shared(t, kit.InTurn(handfleet.OfSixty(50)))
		require.Zero(t, transport.State()[0].Members)
		require.False(t, transport.State()[0].Limits[0].Agreed)

		part := f.Agreement(t, 15)
		part.Members, part.Lasts = 4, 3*time.Second
		f.Tell(part)
		state := transport.State()[0]
		require.Equal(t, 4, state.Members)
		require.True(t, state.Limits[0].Agreed)
		require.InDelta(t, 0.25, state.Limits[0].Share, 1e-9)

		time.Sleep(3*time.Second - 1)
		require.Equal(t, 4, transport.State()[0].Members)
		time.Sleep(time.Nanosecond)
		state = transport.State()[0]
		require.Zero(t, state.Members)
		require.False(t, state.Limits[0].Agreed)
		require.Less(t, state.Limits[0].Share, 0.5, "that is where the estimate begins")
	})
}
