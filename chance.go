package headway

import (
	"github.com/headway-go/headway/internal/chance"
	"github.com/headway-go/headway/internal/clock"
)

// The givens of a Transport are what it neither decides nor learns: time and chance. All its
// partitions share them: a pointer for each of the two would put a partition in a larger
// class of memory.
type givens struct {
	clock  clock.Clock
	chance chance.Source
}

func newGivens() givens { return givens{clock: clock.New(), chance: chance.New()} }
