package pacer_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
)

// A Burst of zero means DefaultBurst.
func TestDefaultBurstIsTheDefault(t *testing.T) {
	for _, quota := range []int64{1, 3, 20, 60, 5000} {
		bursts := make([]int, 2)
		for i, burst := range []float64{0, pacer.DefaultBurst} {
			d := drive(t, pacer.Config{Burst: burst, Jitter: -1})
			for range 2 {
				d.get(says(quota, hour, quota, hour))
			}
			d.advance(hour)
			bursts[i] = d.burst()
		}
		require.Equal(t, bursts[0], bursts[1], "of %d", quota)
	}
}

// An infinite Burst is the whole quota. Of a quota of 0 that is nothing, and a hold counts as ever.
func TestInfiniteBurst(t *testing.T) {
	d := drive(t, pacer.Config{Burst: math.Inf(1), Jitter: -1})
	nothing := refuses(says(0, unknown, 0, 0), minute)
	d.get(nothing)
	d.get(nothing) // sent whatever its plan, so that the limit is charged
	d.wantWaitWithin(minute, 2*minute)
}

// Queries change nothing: of two partitions with the same events, one of which is queried all the time,
// both have the same state.
func TestPlansChangeNothing(t *testing.T) {
	for seed := range uint64(30) {
		requireUnchangedByQueries(t, noise(seed, 600), uint8(seed*5))
	}
}

// FuzzQuestions is TestToAskChangesNothing with fuzzed events.
func FuzzQuestions(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(noise(seed, 400), uint8(seed))
	}
	f.Fuzz(requireUnchangedByQueries)
}

func requireUnchangedByQueries(t *testing.T, events []byte, config uint8) {
	t.Helper()
	events = shortened(events)
	cfg, u := fuzzedConfig(config)
	left := fuzzed{T: t, in: events, cfg: cfg, u: u, p: pacer.New(cfg), now: start}
	planned := fuzzed{T: t, in: events, cfg: cfg, u: u, p: pacer.New(cfg), now: start}
	left.await(config)
	planned.await(config)
	rng := rand.New(rand.NewPCG(uint64(len(events)), uint64(config)))
	for len(left.in) > 0 {
		left.event()
		planned.event()
		planned.query(rng)
		require.Equal(t, left.p.Snapshot(left.now), planned.p.Snapshot(planned.now))
		require.Equal(t, left.p, planned.p, "everything, routes and what is in flight included")
	}
}

// query calls each method that queries the partition.
func (z *fuzzed) query(rng *rand.Rand) {
	cost := pacer.Cost{Requests: rng.Int64N(5) - 1, Route: uint8(rng.Uint32())}
	z.p.State(z.now.Add(minute))
	usageOf(&z.p, z.now.Add(hour))
	z.p.Plan(z.now.Add(second), rng.Int64N(3), &cost)
	z.p.Snapshot(z.now.Add(minute))
	z.p.Uses(&cost)
	z.p.Units()
	z.p.Idle(z.now)
	z.p.Held(z.now)
	z.p.PartMayGrow()
	for i := range z.flight {
		z.p.HeldUntil(&z.flight[i])
		z.p.Stops(z.now, &z.flight[i])
		z.p.ByteLimits(&z.flight[i])
	}
}
