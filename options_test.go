package headway

import (
	"testing"

	"github.com/stretchr/testify/require"
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
