package pacer

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What is left slows a client down to an eighth, as if there were eight. If there are
// more, refusals tell.
func TestStrainOfSharedUse(t *testing.T) {
	for _, row := range []struct {
		name string
		sure bool
		most float64
	}{
		{"a window that was told", true, 2 * strainShared},
		{"one that was only seen", false, strainMost},
	} {
		t.Run(row.name, func(t *testing.T) {
			var f refill
			for range 100 {
				f.adjust(&reading{left: 1, sure: row.sure}, 60, false, 0.1)
			}
			require.Greater(t, f.slowdown(), 0.8*strainShared)
			require.LessOrEqual(t, f.slowdown(), row.most)
			require.Equal(t, row.sure, f.slowdown() < 2*strainShared)
		})
	}
}
