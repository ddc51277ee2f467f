package fleets

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/handfleet"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/validate"
)

// A hold of another process has the same bound as one from the server.
func TestToldHoldIsBounded(t *testing.T) {
	for name, hold := range map[string]func(*limits.Parts, time.Duration){
		"on everything":          func(p *limits.Parts, long time.Duration) { p.Held = long },
		"on one limit":           func(p *limits.Parts, long time.Duration) { p.Limits[0].Held = long },
		"of parts that are over": func(p *limits.Parts, long time.Duration) { p.Lasts, p.Held = 0, long },
	} {
		for _, row := range []struct{ told, want time.Duration }{
			{30 * time.Second, 30 * time.Second},
			{math.MaxInt64, 10 * time.Minute},
			{-time.Hour, 0},
		} {
			t.Run(fmt.Sprint(name, ", ", row.told), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := handfleet.New()
					transport := kit.Seeded(t, &headway.Transport{
						Base: kit.InTurn(handfleet.OfSixty(50)), Fleet: f, Bounds: validate.Bounds{MaxReset: 10 * time.Minute}, Burst: -1, Jitter: -1,
					})
					kit.Prime(t, transport)
					time.Sleep(2 * time.Second) // until the Transport stops waiting for a part
					part := f.Agreement(t, 60)
					hold(&part, row.told)
					f.Tell(part)
					f.Tell(f.Agreement(t, 60)) // a part without a hold does not end it
					start := time.Now()
					kit.Prime(t, transport)
					if row.want > 0 {
						kit.RequireHeld(t, row.want, time.Since(start))
					} else {
						require.Zero(t, time.Since(start))
					}
				})
			})
		}
	}
}

// Waiters that cannot start in time because of another process's hold are refused at once, also behind one that can.
func TestToldHoldRefusesWhoCannotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport, f := handfleet.Shared(t, kit.InTurn(kit.UsedUp(), kit.Status(200)))
		f.Tell(f.Agreement(t, 10))
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		patient, leave := context.WithCancel(t.Context())
		defer leave()
		go func() { _, _ = kit.Get(patient, transport, kit.URL) }()
		synctest.Wait()
		var client sync.WaitGroup
		var err error
		client.Go(func() { _, err = kit.Get(ctx, transport, kit.URL) })
		synctest.Wait()
		part := f.Agreement(t, 10)
		part.Held = 30 * time.Minute
		f.Tell(part)
		client.Wait()
		require.Zero(t, time.Since(start))
		limit, ok := errors.AsType[*headway.LimitError](err)
		require.True(t, ok, err)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.False(t, limit.RetryAt.Before(start.Add(30*time.Minute)))
	})
}
