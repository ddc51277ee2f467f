package headway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/ratelimittest"
	"github.com/headway-go/headway/validate"
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

// A command makes ten calls and ends. It runs every five seconds, or as soon as the
// last run is over: twice what the server allows. Only what the last run knew can tell
// the next one so.
func TestWarmStart(t *testing.T) {
	policy := ratelimittest.Policy{Name: "default", Quota: 60, Window: time.Minute}
	for _, limiter := range []struct {
		name string
		make func() ratelimittest.Limiter
		cold int // refused at least without snapshots
	}{
		{"fixed window", func() ratelimittest.Limiter { return &ratelimittest.FixedWindow{Policy: policy, Aligned: true} }, 8},
		{"window by request", func() ratelimittest.Limiter { return &ratelimittest.FixedWindow{Policy: policy} }, 8},
		{"sliding log", func() ratelimittest.Limiter { return &ratelimittest.SlidingLog{Policy: policy} }, 0},
		{"linear", func() ratelimittest.Limiter { return &ratelimittest.Linear{Policy: policy} }, 0},
		{"token bucket", func() ratelimittest.Limiter { return &ratelimittest.TokenBucket{Policy: policy} }, 0},
	} {
		for _, dialect := range []struct {
			name  string
			write ratelimittest.Dialect
			// With snapshots:
			refused int // at most
			served  int // at least
		}{
			{"draft-10", ratelimittest.Draft10, 0, 550},
			{"trio", ratelimittest.Trio, 0, 550},
			{"X-RateLimit", ratelimittest.XRateLimit, 1, 500},   // mostly 0 and 590
			{"Retry-After only", ratelimittest.Silent, 36, 450}, // it has to be run into now and then: the aim is 20
		} {
			if raced && limiter.name != "fixed window" {
				continue
			}
			t.Run(limiter.name+"/"+dialect.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					warm := runCommands(t, limiter.make(), dialect.write, true)
					cold := runCommands(t, limiter.make(), dialect.write, false)
					t.Logf("with snapshots %v, without %v", warm, cold)
					require.LessOrEqual(t, warm.refused, dialect.refused)
					require.GreaterOrEqual(t, warm.served, dialect.served)
					require.GreaterOrEqual(t, cold.refused, limiter.cold)
				})
			})
		}
	}
}

// commandFigures are those of ten minutes.
type commandFigures struct{ runs, served, refused int }

func (f commandFigures) String() string {
	return fmt.Sprintf("%d runs: %d served, %d refused", f.runs, f.served, f.refused)
}

func runCommands(t *testing.T, limiter ratelimittest.Limiter, dialect ratelimittest.Dialect, warm bool) commandFigures {
	t.Helper()
	server := &ratelimittest.Handler{Limiter: limiter, Dialect: dialect}
	network := &ratelimittest.Transport{Handler: server, Latency: 50 * time.Millisecond}
	var snapshot []byte
	var f commandFigures
	for begun := time.Now(); time.Since(begun) < 10*time.Minute; f.runs++ {
		next := time.Now().Add(5 * time.Second)
		command := warmed(t, network, snapshot)
		for range 10 {
			resp, err := get(t.Context(), command, testURL)
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
		}
		if warm {
			snapshot = takeSnapshot(t, command)
		}
		time.Sleep(time.Until(next))
	}
	arrivals := server.Log.Arrivals()
	f.served, f.refused = len(arrivals.Allowed()), len(arrivals.Refused())
	return f
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

// The server asks for an hour. The command ends, and runs again and again.
func TestRestoredHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := inTurn(status(429, "Retry-After", "3600"), status(200))
		command := warmed(t, base, nil)
		command.MaxRetries = -1
		prime(t, command)
		asked := time.Now()
		var limit *LimitError
		for range 59 {
			snapshot := takeSnapshot(t, command)
			time.Sleep(time.Minute)
			command = warmed(t, base, snapshot)
			require.ErrorAs(t, tryFor(t, command, time.Second, testURL), &limit)
			require.GreaterOrEqual(t, limit.RetryAt.Sub(asked), time.Hour)
			require.LessOrEqual(t, limit.RetryAt.Sub(asked), time.Hour+2*time.Second)
			require.Equal(t, 1, base.sent())
		}
		command = warmed(t, base, takeSnapshot(t, command))
		require.NoError(t, tryFor(t, command, 2*time.Minute, testURL))
		requireHeld(t, time.Hour, base.times[1].Sub(asked))
	})
}

func TestRestoredOnceTheWindowIsOver(t *testing.T) {
	for _, row := range []struct {
		name  string
		after time.Duration
		held  bool
	}{
		{"before its end", 30 * time.Second, true},
		{"after its end", 2 * time.Minute, false},
		{"much later", 23 * time.Hour, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := inTurn(usedUp())
				command := warmed(t, base, nil)
				prime(t, command)
				snapshot := takeSnapshot(t, command)
				time.Sleep(row.after)
				err := tryFor(t, warmed(t, base, snapshot), time.Millisecond, testURL)
				require.Equal(t, row.held, err != nil)
			})
		})
	}
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
			state := p.pacer.State(next.clock().Now())
			require.Zero(t, state.InFlight)
			require.Equal(t, int64(56), state.Limits[0].Remaining)
		}
		time.Sleep(30 * time.Hour)
		require.Zero(t, transport.partitions.saved(transport.clock().Now())[0].Idle, "it is in use")
		close(over)
		flight.Wait()
		require.Len(t, next.partitions.shelf.restored, 1)
	})
}

func TestRestoreLeavesPartitionsThatAreThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		held := warmed(t, inTurn(status(429, "Retry-After", "60")), nil)
		held.MaxRetries = -1
		for _, url := range []string{"https://a.example.com/", "https://b.example.com/"} {
			require.NoError(t, tryFor(t, held, time.Second, url))
		}
		snapshot := takeSnapshot(t, held)

		transport := warmed(t, inTurn(status(200)), nil)
		require.NoError(t, tryFor(t, transport, time.Second, "https://a.example.com/"))
		require.NoError(t, transport.Restore(snapshot))
		require.NoError(t, tryFor(t, transport, time.Second, "https://a.example.com/"), "it knows better")
		require.Error(t, tryFor(t, transport, time.Second, "https://b.example.com/"))
	})
}

// Programs use one server now and another one then.
func TestSnapshotKeepsWhatWasNotUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := inTurn(status(429, "Retry-After", "100000"))
		command := warmed(t, base, nil)
		command.MaxRetries = -1
		prime(t, command)
		other := warmed(t, inTurn(status(200)), takeSnapshot(t, command))
		for range 23 {
			time.Sleep(time.Hour)
			require.NoError(t, tryFor(t, other, time.Second, "https://other.example.com/"))
			other = warmed(t, inTurn(status(200)), takeSnapshot(t, other))
		}
		again := warmed(t, base, takeSnapshot(t, other))
		require.Error(t, tryFor(t, again, time.Second, testURL))

		time.Sleep(time.Hour + time.Minute)
		other = warmed(t, base, takeSnapshot(t, other))
		require.Len(t, other.partitions.shelf.restored, 1, "what no one used for a day is gone")
	})
}

// What the server is not believed is not restored either.
func TestRestoreKeepsToTheBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := inTurn(status(429, "Retry-After", "86400"), status(200))
		trusting := warmed(t, base, nil)
		trusting.MaxRetries = -1
		prime(t, trusting)
		wary := &Transport{Base: base, SnapshotKey: testSecret(), Bounds: validate.Bounds{MaxReset: time.Minute}}
		require.NoError(t, wary.Restore(takeSnapshot(t, trusting)))
		require.NoError(t, tryFor(t, wary, 2*time.Minute, testURL))
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
		snapshot, err := r.shelf.keys.seal(time.Now().Add(maxSnapshotAhead), r.saved(r.clock.Now()))
		require.NoError(t, err)
		require.NoError(t, tryFor(t, warmed(t, base, snapshot), 2*time.Minute, testURL))
	})
}

// Each partition is forgotten a day after a request last used it.
func TestRestoredPartitionsAreOfToday(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		command := warmed(t, inTurn(status(429, "Retry-After", "200000")), nil)
		command.MaxRetries = -1
		prime(t, command)
		for _, row := range []struct {
			later time.Duration
			want  int
		}{{20 * time.Hour, 1}, {4 * time.Hour, 1}, {time.Second, 0}} {
			snapshot := takeSnapshot(t, command)
			time.Sleep(row.later)
			command = warmed(t, nil, snapshot)
			require.Len(t, command.partitions.shelf.restored, row.want)
		}
	})
}

func TestSnapshotOfNothing(t *testing.T) {
	transport := warmed(t, inTurn(status(200)), takeSnapshot(t, warmed(t, nil, nil)))
	prime(t, transport)
}

func TestSnapshotNeedsAKey(t *testing.T) {
	for _, key := range [][]byte{nil, {}, testSecret()[:15]} {
		transport := &Transport{SnapshotKey: key}
		_, err := transport.Snapshot()
		require.ErrorIs(t, err, ErrSnapshotKey)
		require.ErrorIs(t, transport.Restore(nil), ErrSnapshotKey)
	}
}

func TestSnapshotsThatAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		command := warmed(t, inTurn(usedUp()), nil)
		prime(t, command)
		good := takeSnapshot(t, command)
		other := &Transport{SnapshotKey: []byte("another secret, of any length")}

		fresh := warmed(t, nil, nil)
		refused := func(data []byte, want error) {
			t.Helper()
			require.ErrorIs(t, fresh.Restore(data), want)
			require.Empty(t, fresh.partitions.shelf.restored)
		}
		refused(takeSnapshot(t, other), ErrSnapshotForeign)
		refused([]byte("{}"), ErrSnapshotForeign)
		refused(bytes.Repeat([]byte("x"), 2*maxSnapshot), ErrSnapshotForeign)
		refused(bytes.Replace(good, []byte(" 3 "), []byte(" 4 "), 1), ErrSnapshotVersion)
		refused(append(bytes.Clone(good), '\n'), ErrSnapshotDamaged)
		for i := range good {
			refused(good[:i], ErrSnapshotDamaged)
			flipped := bytes.Clone(good)
			flipped[i] ^= 1
			err := fresh.Restore(flipped)
			require.True(t, errors.Is(err, ErrSnapshotDamaged) || errors.Is(err, ErrSnapshotForeign) || errors.Is(err, ErrSnapshotVersion), "%d: %v", i, err)
			require.Empty(t, fresh.partitions.shelf.restored)
		}
		require.NoError(t, fresh.Restore(good))
		require.Len(t, fresh.partitions.shelf.restored, 1)
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
		all[i].Name = identity.Name(fmt.Sprint(i))
		all[i].Pacer = known
	}
	snapshot, err := transport.partitions.shelf.keys.seal(time.Now(), all)
	require.NoError(t, err)
	require.Less(t, len(snapshot), maxSnapshot)
	require.NoError(t, transport.Restore(snapshot))
	restored := transport.partitions.shelf.restored
	require.Len(t, restored, 49)
	require.Contains(t, restored, identity.Name("0"))

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
		for _, p := range transport.partitions.saved(transport.clock().Now()) {
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

// Snapshots are taken and restored while requests come, wait and go.
func TestSnapshotsBesideRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &ratelimittest.Handler{Limiter: ratelimittest.NewLinear(100, time.Second)}
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
						err = (&Transport{SnapshotKey: testSecret()}).Restore(snapshot)
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		require.Len(t, transport.State(), 5)
		require.Empty(t, transport.partitions.shelf.restored, "all are in use")
	})
}

// A snapshot says nothing of what the program asked for, and on whose behalf.
func TestSnapshotShowsNoSecret(t *testing.T) {
	transport := warmed(t, inTurn(usedUp()), nil)
	chosen := warmed(t, inTurn(usedUp()), nil)
	chosen.Partition = func(*http.Request) string { return "hunter2" }
	for _, transport := range []*Transport{transport, chosen} {
		resp, err := transport.RoundTrip(with(t, "https://me:hunter2@api.example.com/hunter2?hunter2", "Authorization", "Bearer hunter2", "X-Api-Key", "hunter2"))
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		saved := transport.partitions.saved(transport.clock().Now())
		text := string(append(takeSnapshot(t, transport), saved[0].Pacer...)) // which is in it as base64
		for _, secret := range []string{"hunter2", "example", "https", "Bearer", string(testSecret())} {
			require.NotContains(t, text, secret)
		}
		require.Contains(t, text, "minute", "what the server said is in it")
	}
}
