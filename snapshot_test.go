package headway

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
)

func testSecret() []byte { return []byte("sixteen bytes or") }

// warmed is the Transport of a program that runs again after another one, which
// made the snapshot.
func warmed(t *testing.T, base http.RoundTripper, snapshot []byte) *Transport {
	t.Helper()
	transport := &Transport{Base: base, SnapshotKey: testSecret()}
	if snapshot != nil {
		require.NoError(t, transport.Restore(snapshot))
	}
	return transport
}

func takeSnapshot(t *testing.T, transport *Transport) []byte {
	t.Helper()
	snapshot, err := transport.Snapshot()
	require.NoError(t, err)
	return snapshot
}

// tryFor sends a request that must not wait longer.
func tryFor(t *testing.T, transport *Transport, wait time.Duration, url string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	resp, err := get(ctx, transport, url)
	if err == nil {
		require.NoError(t, resp.Body.Close())
	}
	return err
}

// Requests that are under way when a snapshot is taken have been sent.
func TestSnapshotWithRequestsInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over := make(chan struct{})
		var calls atomic.Int64
		base := baseFunc(func(req *http.Request) (*http.Response, error) {
			if calls.Add(1) > 2 {
				<-over
			}
			return respond(req, 200, "RateLimit", `"a";r=59;t=60`, "RateLimit-Policy", `"a";q=60;w=60`), nil
		})
		transport := warmed(t, base, nil)
		prime(t, transport)
		prime(t, transport) // the second answer grants the first credit
		var flight sync.WaitGroup
		for range 3 {
			flight.Go(func() {
				if resp, err := get(t.Context(), transport, testURL); err == nil {
					_ = resp.Body.Close()
				}
			})
		}
		synctest.Wait()
		require.Equal(t, 3, transport.State()[0].InFlight)
		next := warmed(t, base, takeSnapshot(t, transport))
		for _, p := range next.partitions.shelf.restored {
			state := p.pacer.State(next.clock().now())
			require.Zero(t, state.InFlight)
			require.Equal(t, int64(56), state.Limits[0].Remaining)
		}
		time.Sleep(30 * time.Hour)
		require.Zero(t, transport.partitions.saved(transport.clock().now())[0].Idle, "it is in use")
		close(over)
		flight.Wait()
		require.Len(t, next.partitions.shelf.restored, 1)
	})
}

// A clock that was set back lengthens no hold.
func TestRestoreOnceTheClockWasSetBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := inTurn(status(429, "Retry-After", "60"), status(200))
		command := warmed(t, base, nil)
		command.MaxRetries = -1
		prime(t, command)
		r := command.partitions
		snapshot, err := r.shelf.keys.seal(time.Now().Add(maxSnapshotAhead), r.saved(r.clock.now()))
		require.NoError(t, err)
		require.NoError(t, tryFor(t, warmed(t, base, snapshot), 2*time.Minute, testURL))
	})
}

func TestSnapshotsOfAnotherTime(t *testing.T) {
	for _, row := range []struct {
		name string
		age  time.Duration // as the clock has it, which may have been set
		want error
	}{
		{"a day", maxSnapshotAge, nil},
		{"more than a day", maxSnapshotAge + time.Second, ErrSnapshotExpired},
		{"years", 1 << 62, ErrSnapshotExpired},
		{"the clock was corrected", -maxSnapshotAhead, nil},
		{"the future", -maxSnapshotAhead - time.Second, ErrSnapshotFuture},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport := warmed(t, nil, nil)
				transport.once.Do(transport.start)
				snapshot, err := transport.partitions.shelf.keys.seal(time.Now().Add(-row.age), nil)
				require.NoError(t, err)
				require.ErrorIs(t, transport.Restore(snapshot), row.want)
			})
		})
	}
}

// A snapshot that is not too large for Restore loses those used longest ago.
func TestLargeSnapshot(t *testing.T) {
	transport := warmed(t, nil, nil)
	transport.once.Do(transport.start)
	partition := pacer.New(&pacer.Config{})
	ticket := partition.Send(1, &pacer.Cost{Requests: 1}, 0)
	long := pacer.Limit{Unit: strings.Repeat("x", maxSnapshot/50*3/4), Quota: 1, Remaining: 1} // as base64 a fiftieth
	partition.Answered(1, &ticket, &pacer.Answer{Limits: []pacer.Limit{long}}, 0)
	known := partition.Snapshot(1)
	all := make([]savedPartition, 100)
	for i := range all {
		all[i].Name = stableName(fmt.Sprint(i))
		all[i].Pacer = known
	}
	snapshot, err := transport.partitions.shelf.keys.seal(time.Now(), all)
	require.NoError(t, err)
	require.Less(t, len(snapshot), maxSnapshot)
	require.NoError(t, transport.Restore(snapshot))
	restored := transport.partitions.shelf.restored
	require.Len(t, restored, 49)
	require.Contains(t, restored, stableName("0"))

	keys := &transport.partitions.shelf.keys
	lines, err := keys.verify(snapshot)
	require.NoError(t, err)
	large := append([]byte(keys.header()), lines...)
	large = append(large, bytes.Repeat([]byte(" "), maxSnapshot-len(large))...)
	large = append(large, "{}\n"...)
	require.ErrorIs(t, transport.Restore(append(large, keys.mac(large)...)), ErrSnapshotDamaged)
}

func TestSnapshotHasTheLatestFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := warmed(t, inTurn(status(200)), nil)
		for i := range 3 {
			require.NoError(t, tryFor(t, transport, time.Second, fmt.Sprintf("https://%d.example.com/", i)))
			time.Sleep(time.Second)
		}
		idle := []time.Duration{}
		for _, p := range transport.partitions.saved(transport.clock().now()) {
			idle = append(idle, p.Idle)
		}
		require.Equal(t, []time.Duration{time.Second, 2 * time.Second, 3 * time.Second}, idle)
	})
}

func TestEvictedPartitionsHaveNoName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := warmed(t, inTurn(status(200)), nil)
		prime(t, transport)
		names := func() int {
			transport.partitions.mu.Lock()
			defer transport.partitions.mu.Unlock()
			return len(transport.partitions.shelf.names)
		}
		require.Equal(t, 1, names())
		time.Sleep(idleFor + sweepEvery)
		synctest.Wait()
		require.Zero(t, names())
	})
}
