package headway

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/validate"
)

// WithCost on a child context does not change the costs of its parent.
func TestWithCostCopies(t *testing.T) {
	parent := WithCost(t.Context(), "tokens", 1)
	child := WithCost(WithPriority(parent, 5), "tokens", 2)
	require.EqualValues(t, 1, optionsOf(parent).costs["tokens"])
	require.Zero(t, optionsOf(parent).priority)
	require.EqualValues(t, 2, optionsOf(child).costs["tokens"])
	require.Equal(t, 5, optionsOf(child).priority)
}

func TestMaxRateForThePacer(t *testing.T) {
	for _, test := range []struct {
		name       string
		told, want float64
	}{
		{"default", 0, validate.DefaultMaxRate},
		{"not a number", math.NaN(), validate.DefaultMaxRate},
		{"set", 5, 5},
		{"negative", -1, -1}, // not bounded
		{"infinite", math.Inf(1), -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			transport := &Transport{Bounds: validate.Bounds{MaxRate: test.told}}
			require.InDelta(t, test.want, transport.maxRate(), 0)
		})
	}
}
