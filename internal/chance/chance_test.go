package chance_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/chance"
)

// What was seeded is that transport's alone, and once.
func TestSeed(t *testing.T) {
	type transport struct{ _ int }
	one, other := &transport{}, &transport{}
	chance.Seed(one, func() float64 { return 2 }) // which New never draws
	require.Less(t, chance.For(other)(), 1.0)
	require.InDelta(t, 2, chance.For(one)(), 0)
	require.Less(t, chance.For(one)(), 1.0, "it was taken")
}

func TestNew(t *testing.T) {
	source := chance.New()
	first := source()
	require.GreaterOrEqual(t, first, 0.0)
	require.Less(t, first, 1.0)
	require.NotEqual(t, first, source())
}
