package restarts

import (
	"bytes"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/ratelimittest"
	"github.com/headway-go/headway/validate"
)

func TestRestoreLeavesPartitionsThatAreThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		held := warmed(t, kit.InTurn(kit.Status(429, "Retry-After", "60")), nil)
		held.MaxRetries = -1
		for _, url := range []string{"https://a.example.com/", "https://b.example.com/"} {
			require.NoError(t, tryFor(t, held, time.Second, url))
		}
		snapshot := takeSnapshot(t, held)

		transport := warmed(t, kit.InTurn(kit.Status(200)), nil)
		require.NoError(t, tryFor(t, transport, time.Second, "https://a.example.com/"))
		require.NoError(t, transport.Restore(snapshot))
		require.Len(t, transport.State(), 2)
		require.NoError(t, tryFor(t, transport, time.Second, "https://a.example.com/"), "it knows better")
		require.Error(t, tryFor(t, transport, time.Second, "https://b.example.com/"))
	})
}

// Restore ignores times beyond Bounds, as responses do.
func TestRestoreKeepsToTheBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := kit.InTurn(kit.Status(429, "Retry-After", "86400"), kit.Status(200))
		trusting := warmed(t, base, nil)
		trusting.MaxRetries = -1
		kit.Prime(t, trusting)
		wary := &headway.Transport{Base: base, SnapshotKey: kit.Secret(), Bounds: validate.Bounds{MaxReset: time.Minute}}
		require.NoError(t, wary.Restore(takeSnapshot(t, trusting)))
		require.NoError(t, tryFor(t, wary, 2*time.Minute, kit.URL))
	})
}

// Requests in flight count as sent.
func TestSnapshotWithRequestsInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(100, time.Minute)}}
		network := &ratelimittest.Transport{Handler: server}
		transport := warmed(t, network, nil)
		kit.Prime(t, transport)
		network.Latency = 20 * time.Second
		var all sync.WaitGroup
		defer all.Wait()
		for range 3 {
			all.Go(func() {
				if err := tryFor(t, transport, time.Hour, kit.URL); err != nil {
					t.Error(err)
				}
			})
		}
		time.Sleep(10 * time.Second)
		restored := warmed(t, nil, takeSnapshot(t, transport)).State()[0]
		require.Zero(t, restored.InFlight)
		require.EqualValues(t, 96, restored.Limits[0].Remaining)
	})
}

func TestSnapshotNeedsAKey(t *testing.T) {
	for _, key := range [][]byte{nil, {}, kit.Secret()[:15]} {
		transport := &headway.Transport{SnapshotKey: key}
		_, err := transport.Snapshot()
		require.ErrorIs(t, err, headway.ErrSnapshotKey)
		require.ErrorIs(t, transport.Restore(nil), headway.ErrSnapshotKey)
	}
}

// What cannot be used is refused as a whole, and the error says why.
func TestSnapshotsThatAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		command := warmed(t, kit.InTurn(kit.UsedUp()), nil)
		kit.Prime(t, command)
		good := takeSnapshot(t, command)
		other := &headway.Transport{SnapshotKey: []byte("another secret, of any length")}

		fresh := warmed(t, nil, nil)
		refused := func(data []byte, why string) {
			t.Helper()
			err := fresh.Restore(data)
			require.ErrorIs(t, err, headway.ErrSnapshot)
			require.ErrorContains(t, err, why)
			require.Empty(t, fresh.State())
		}
		refused(takeSnapshot(t, other), "another SnapshotKey")
		refused(nil, "it is none")
		refused([]byte("{}"), "it is none")
		refused(bytes.Repeat([]byte("x"), 32<<20), "it is none")
		refused([]byte("headway snapshot 4 0123456789abcdef\n\"2026-11-28T00:00:00Z\"\nb6c1\n"), "another version") // 0.2
		refused(append(bytes.Clone(good), '\n'), "damaged")
		for i := range good {
			refused(good[:i], "")
			flipped := bytes.Clone(good)
			flipped[i] ^= 1
			refused(flipped, "")
		}
		time.Sleep(25 * time.Hour)
		refused(good, "more than a day")
	})
}

// Setting the clock back does not lengthen a hold. Beyond a day the snapshot is refused.
func TestClockThatWasSetBack(t *testing.T) {
	for _, row := range []struct {
		ahead time.Duration
		want  error
	}{{time.Minute, nil}, {23 * time.Hour, nil}, {25 * time.Hour, headway.ErrSnapshot}} {
		var snapshot []byte
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(row.ahead)
			command := warmed(t, kit.InTurn(kit.Status(429, "Retry-After", "60")), nil)
			command.MaxRetries = -1
			kit.Prime(t, command)
			snapshot = takeSnapshot(t, command)
		})
		synctest.Test(t, func(t *testing.T) { // it begins at the same time
			base := kit.InTurn(kit.Status(200))
			next := warmed(t, base, nil)
			require.ErrorIs(t, next.Restore(snapshot), row.want)
			begun := time.Now()
			require.NoError(t, tryFor(t, next, 2*time.Minute, kit.URL))
			if row.want == nil {
				kit.RequireHeld(t, time.Minute, base.Times[0].Sub(begun))
			}
		})
	}
}
