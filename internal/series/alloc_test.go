//go:build !race

package series

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/series/seriestest"
)

// What a request takes to find its series allocates nothing.
func TestAllocations(t *testing.T) {
	set := &Set[*silent]{MaxPartitions: 1, MaxPolicies: 1, New: func(string, string) *silent { return &silent{} }}
	require.Zero(t, int(seriestest.Allocations(t, set)))
}
