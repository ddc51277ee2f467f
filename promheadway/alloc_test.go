//go:build !race

package promheadway_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/series/seriestest"
	"github.com/headway-go/headway/promheadway"
)

// Counting a request does not allocate.
func TestAllocations(t *testing.T) {
	require.Equal(t, 1, int(seriestest.Allocations(t, &promheadway.Collector{})))
}
