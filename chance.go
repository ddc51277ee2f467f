package headway

import (
	"math/rand/v2"

	"github.com/headway-go/headway/internal/clock"
)

// This file is the only one that draws what requests are spread by.

// The givens of a Transport are what it neither decides nor learns: time and chance. All its
// partitions share them: a pointer for each of the two would put a partition in a larger
// class of memory.
type givens struct {
	clock  clock.Clock
	chance chance
}

// A chance returns random numbers of at least 0 and less than 1. Partitions call it, each
// under its own lock, so it must be safe for concurrent use.
type chance func() float64

// newGivens has the source of package math/rand/v2, which cannot be seeded.
func newGivens() givens { return givens{clock: clock.New(), chance: rand.Float64} }
