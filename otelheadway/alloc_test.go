//go:build !race

package otelheadway_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A request that is counted allocates nothing.
func TestAllocations(t *testing.T) {
	transport, req := benchmarked(t)
	require.NoError(t, sdkMeter().Instrument(transport, ""))
	got := testing.AllocsPerRun(1000, func() {
		if err := send(transport, req); err != nil {
			t.Fatal(err)
		}
	})
	require.Zero(t, int(got))
}
