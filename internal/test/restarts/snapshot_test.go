package restarts

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/ratelimittest"
)

// A command makes ten calls and ends. It runs every five seconds, or as soon as the last run ends. That is
// twice the server's limit, which only a snapshot of the last run can show.
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
			{"draft-10", ratelimittest.Draft10, 1, 550},
			{"trio", ratelimittest.Trio, 1, 550},
			{"X-RateLimit", ratelimittest.XRateLimit, 13, 500},  // each process measures the window again
			{"Retry-After only", ratelimittest.Silent, 36, 450}, // refusals alone show the limit, so there are some; the aim is 20
		} {
			if kit.Raced && limiter.name != "fixed window" {
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

// commandFigures are the figures of ten minutes.
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
			require.NoError(t, kit.Fetch(t.Context(), command, kit.URL))
		}
		if warm {
			snapshot = takeSnapshot(t, command)
		}
		time.Sleep(time.Until(next))
	}
	arrivals := server.Arrivals()
	f.served, f.refused = len(arrivals.Allowed()), len(arrivals.Refused())
	return f
}

// The server sends a Retry-After of an hour. The command runs again and again.
func TestRestoredHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := kit.InTurn(kit.Status(429, "Retry-After", "3600"), kit.Status(200))
		command := warmed(t, base, nil)
		command.MaxRetries = -1
		kit.Prime(t, command)
		asked := time.Now()
		var limit *headway.LimitError
		for range 59 {
			snapshot := takeSnapshot(t, command)
			time.Sleep(time.Minute)
			command = warmed(t, base, snapshot)
			require.ErrorAs(t, tryFor(t, command, time.Second, kit.URL), &limit)
			require.GreaterOrEqual(t, limit.RetryAt.Sub(asked), time.Hour)
			require.LessOrEqual(t, limit.RetryAt.Sub(asked), time.Hour+2*time.Second)
			require.Equal(t, 1, base.Sent())
		}
		command = warmed(t, base, takeSnapshot(t, command))
		require.NoError(t, tryFor(t, command, 2*time.Minute, kit.URL))
		kit.RequireHeld(t, time.Hour, base.Times[1].Sub(asked))
	})
}

// warmed returns the Transport of a new run of the program, with the snapshot of the last run. The snapshot is
// part of its seed.
func warmed(t *testing.T, base http.RoundTripper, snapshot []byte) *headway.Transport {
	t.Helper()
	rng := kit.Chance(t, t.Name()+string(snapshot), min(len(snapshot), 1))
	transport := kit.SeededBy(rng, &headway.Transport{Base: base, SnapshotKey: kit.Secret()})
	if snapshot != nil {
		require.NoError(t, transport.Restore(snapshot))
	}
	return transport
}

func takeSnapshot(t *testing.T, transport *headway.Transport) []byte {
	t.Helper()
	snapshot, err := transport.Snapshot()
	require.NoError(t, err)
	return snapshot
}

// tryFor sends a request whose wait is bounded.
func tryFor(t *testing.T, transport *headway.Transport, wait time.Duration, url string) error {
	t.Helper()
	ctx := kit.Within(t, wait)
	resp, err := kit.Get(ctx, transport, url)
	if err == nil {
		require.NoError(t, resp.Body.Close())
	}
	return err
}

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
