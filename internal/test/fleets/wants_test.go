package fleets

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/handfleet"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/limits"
)

// A request that begins to wait sends to wants if its partition has no part yet, or could get a larger one. Parts of
// unknown limits are ignored, and so are those that are over.
func TestFleetIsToldOfWants(t *testing.T) {
	for _, row := range []struct {
		name string
		tell func(part *limits.Parts) bool // false: no part is handed out
		want bool
	}{
		{"nothing told", func(*limits.Parts) bool { return false }, true},
		{"as much as any", func(*limits.Parts) bool { return true }, false},
		{"more to be had", func(p *limits.Parts) bool { p.Limits[0].Full = false; return true }, true},
		{"told too long ago", func(p *limits.Parts) bool { p.Lasts = 0; return true }, true},
		{"of another limit", func(p *limits.Parts) bool { p.Limits[0].ID.Policy = "none"; return true }, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport, f := handfleet.Shared(t, kit.InTurn(kit.UsedUp(), handfleet.OfSixty(59)))
				f.Wanted()
				if part := f.Agreement(t, 1); row.tell(&part) {
					f.Tell(part)
				}
				require.False(t, f.Wanted(), "nobody waits")
				var clients sync.WaitGroup
				for range 3 {
					clients.Go(func() { kit.Prime(t, transport) })
				}
				synctest.Wait()
				require.Equal(t, row.want, f.Wanted())
				require.False(t, f.Wanted(), "once")
				f.Tell(f.Agreement(t, 60))
				clients.Wait()
			})
		})
	}
}

// A request is not refused for a wait that a larger part could end.
func TestPartialPartRefusesNobodyAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport, f := handfleet.Shared(t, kit.InTurn(handfleet.OfSixty(59), handfleet.OfSixty(58)))
		part := f.Agreement(t, 1)
		f.Tell(part)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		_, err := kit.Get(ctx, transport, kit.URL)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		_, ok := errors.AsType[*headway.LimitError](err)
		require.True(t, ok, "it is clear that it has to wait for the next window")

		part.Limits[0].Full = false
		f.Tell(part)
		start := time.Now()
		var clients sync.WaitGroup
		var failed atomic.Int64
		for range 3 {
			clients.Go(func() {
				resp, err := kit.Get(ctx, transport, kit.URL)
				if err != nil {
					failed.Add(1)
					return
				}
				_ = resp.Body.Close()
			})
		}
		time.Sleep(4 * time.Second)
		require.Zero(t, failed.Load())
		f.Tell(f.Agreement(t, 60))
		clients.Wait()
		require.Zero(t, failed.Load())
		require.Less(t, time.Since(start), 10*time.Second)
	})
}

// Nor is it refused for a wait that may end before the next agreement.
func TestPartialPartRefusesNobodyInAHurry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport, f := handfleet.Shared(t, kit.InTurn(handfleet.OfSixty(59), handfleet.OfSixty(58)))
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		part := f.Agreement(t, 30)
		time.AfterFunc(200*time.Millisecond, func() { f.Tell(part) })
		start := time.Now()
		resp, err := kit.Get(ctx, transport, kit.URL)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, 200*time.Millisecond, time.Since(start))
	})
}
