package kit

import (
	"flag"
	"hash/fnv"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/headway-go/headway/internal/chance"
)

// seed is mixed into the seeds of all that chance decides. With the same one tests are the
// same again, but for the order of goroutines at one instant, which the runtime draws.
var seed = flag.Uint64("seed", 0, "seed of what chance decides: with another one the tests have other runs")

// Chance returns the chance of one run of what is called that. If the test fails it says how
// to repeat it.
func Chance(tb testing.TB, name string, run int) *rand.Rand {
	tb.Helper()
	if run == 0 { // once is enough
		tb.Cleanup(func() {
			if tb.Failed() {
				tb.Logf("to repeat what chance has decided: -seed %d", *seed)
			}
		})
	}
	hash := fnv.New64()
	_, _ = hash.Write([]byte(name)) // never fails
	return rand.New(rand.NewPCG(hash.Sum64()^*seed, uint64(run)))
}

// Seeded returns transport, a *headway.Transport that was not used yet, with the chance of
// this test. It is for tests of one client: others would have the same chance, and are to be
// SeededBy it.
func Seeded[T any](tb testing.TB, transport *T) *T {
	tb.Helper()
	return SeededBy(Chance(tb, tb.Name(), 0), transport)
}

// SeededBy returns transport, a *headway.Transport that was not used yet, with chance of its
// own, seeded by rng.
func SeededBy[T any](rng *rand.Rand, transport *T) *T {
	var mu sync.Mutex
	own := rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64()))
	chance.Seed(transport, func() float64 {
		mu.Lock()
		defer mu.Unlock()
		return own.Float64()
	})
	return transport
}
