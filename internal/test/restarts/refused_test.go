package restarts

import (
	"bytes"
	"errors"
	"fmt"
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
		require.NoError(t, tryFor(t, transport, time.Second, "https://a.example.com/"), "it knows better")
		require.Error(t, tryFor(t, transport, time.Second, "https://b.example.com/"))
	})
}

// Partitions of one snapshot may have been used at different times.
func TestSnapshotKeepsWhatWasNotUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := kit.InTurn(kit.Status(429, "Retry-After", "100000"))
		command := warmed(t, base, nil)
		command.MaxRetries = -1
		kit.Prime(t, command)
		other := warmed(t, kit.InTurn(kit.Status(200)), takeSnapshot(t, command))
		for range 23 {
			time.Sleep(time.Hour)
			require.NoError(t, tryFor(t, other, time.Second, "https://other.example.com/"))
			other = warmed(t, kit.InTurn(kit.Status(200)), takeSnapshot(t, other))
		}
		again := warmed(t, base, takeSnapshot(t, other))
		require.Error(t, tryFor(t, again, time.Second, kit.URL))

		time.Sleep(time.Hour + time.Minute)
		other = warmed(t, base, takeSnapshot(t, other))
		require.Equal(t, 1, known(t, other), "what no one used for a day is gone")
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

// Each partition is dropped a day after its last request.
func TestRestoredPartitionsAreOfToday(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		command := warmed(t, kit.InTurn(kit.Status(429, "Retry-After", "200000")), nil)
		command.MaxRetries = -1
		kit.Prime(t, command)
		for _, row := range []struct {
			later time.Duration
			want  int
		}{{20 * time.Hour, 1}, {4 * time.Hour, 1}, {time.Second, 0}} {
			snapshot := takeSnapshot(t, command)
			time.Sleep(row.later)
			command = warmed(t, nil, snapshot)
			require.Equal(t, row.want, known(t, command))
		}
	})
}

func TestSnapshotOfNothing(t *testing.T) {
	transport := warmed(t, kit.InTurn(kit.Status(200)), takeSnapshot(t, warmed(t, nil, nil)))
	kit.Prime(t, transport)
}

func TestSnapshotNeedsAKey(t *testing.T) {
	for _, key := range [][]byte{nil, {}, kit.Secret()[:15]} {
		transport := &headway.Transport{SnapshotKey: key}
		_, err := transport.Snapshot()
		require.ErrorIs(t, err, headway.ErrSnapshotKey)
		require.ErrorIs(t, transport.Restore(nil), headway.ErrSnapshotKey)
	}
}

func TestSnapshotsThatAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		command := warmed(t, kit.InTurn(kit.UsedUp()), nil)
		kit.Prime(t, command)
		good := takeSnapshot(t, command)
		other := &headway.Transport{SnapshotKey: []byte("another secret, of any length")}

		fresh := warmed(t, nil, nil)
		refused := func(data []byte, want error) {
			t.Helper()
			require.ErrorIs(t, fresh.Restore(data), want)
			require.Zero(t, known(t, fresh))
		}
		refused(takeSnapshot(t, other), headway.ErrSnapshotForeign)
		refused([]byte("{}"), headway.ErrSnapshotForeign)
		refused(bytes.Repeat([]byte("x"), 32<<20), headway.ErrSnapshotForeign)
		refused(bytes.Replace(good, []byte(" 5 "), []byte(" 4 "), 1), headway.ErrSnapshotVersion)
		refused(append(bytes.Clone(good), '\n'), headway.ErrSnapshotDamaged)
		for i := range good {
			refused(good[:i], headway.ErrSnapshotDamaged)
			flipped := bytes.Clone(good)
			flipped[i] ^= 1
			err := fresh.Restore(flipped)
			require.True(t, errors.Is(err, headway.ErrSnapshotDamaged) || errors.Is(err, headway.ErrSnapshotForeign) || errors.Is(err, headway.ErrSnapshotVersion), "%d: %v", i, err)
			require.Zero(t, known(t, fresh))
		}
		require.NoError(t, fresh.Restore(good))
		require.Equal(t, 1, known(t, fresh))
	})
}

// Snapshots may be taken and restored while requests wait and are in flight.
func TestSnapshotsBesideRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &ratelimittest.Handler{Limiter: &ratelimittest.Linear{Policy: ratelimittest.Per(100, time.Second)}}
		network := &ratelimittest.Transport{Handler: server, Latency: 20 * time.Millisecond}
		transport := warmed(t, network, nil)
		older := takeSnapshot(t, transport)
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				for j := range 50 {
					if err := tryFor(t, transport, time.Minute, fmt.Sprintf("https://host%d.example.com/", (i+j)%5)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		for range 2 {
			all.Go(func() {
				for range 50 {
					time.Sleep(30 * time.Millisecond)
					snapshot, err := transport.Snapshot()
					if err == nil {
						err = errors.Join(transport.Restore(older), transport.Restore(snapshot))
					}
					if err == nil {
						err = (&headway.Transport{SnapshotKey: kit.Secret()}).Restore(snapshot)
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		require.Len(t, transport.State(), 5)
		require.Equal(t, 5, known(t, transport))
	})
}
