package kit

import (
	"flag"
	"hash/fnv"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/headway-go/headway/internal/chance"
)

// seed is mixed into all seeds. With the same seed tests repeat exactly, except the order of goroutines
// that are ready at the same instant.
var seed = flag.Uint64("seed", 0, "seed of what chance decides: with another one the tests have other runs")

// Chance returns a random generator for one run of the test with that name. If the test fails, the log
// says how to repeat it.
func Chance(tb testing.TB, name string, run int) *rand.Rand {
	tb.Helper()
	if run == 0 { // log it once
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

// Seeded returns transport, a *headway.Transport before its first use, with the test's seed. It is for
// tests of one client. Tests of several use SeededBy, as these clients need different seeds.
func Seeded[T any](tb testing.TB, transport *T) *T {
	tb.Helper()
	return SeededBy(Chance(tb, tb.Name(), 0), transport)
}

// SeededBy returns transport, a *headway.Transport before its first use, with a seed that rng draws.
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
