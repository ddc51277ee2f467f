package headway

import (
	"flag"
	"hash/fnv"
	"math/rand/v2"
	"sync"

	"github.com/headway-go/headway/internal/chance"
)

// Seed is mixed into the seeds of all tests that chance has a part in. With the same one they
// are the same again, but for the order of goroutines; see TestPacing.
var Seed = flag.Uint64("pacing.seed", 0, "seed of what chance decides in TestPacing and other tests")

// NewChance returns the chance of one run of what is called that.
func NewChance(name string, run int) *rand.Rand {
	hash := fnv.New64()
	_, _ = hash.Write([]byte(name)) // never fails
	return rand.New(rand.NewPCG(hash.Sum64()^*Seed, uint64(run)))
}

// Seeded returns t, which was not used yet, with chance of its own, seeded by rng.
func Seeded(rng *rand.Rand, t *Transport) *Transport {
	var mu sync.Mutex
	own := rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64()))
	chance.Seed(t, func() float64 {
		mu.Lock()
		defer mu.Unlock()
		return own.Float64()
	})
	return t
}
