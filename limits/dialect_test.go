package limits_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
)

func TestDialectsHaveNames(t *testing.T) {
	seen := map[string]bool{}
	for d := limits.DialectRateLimit; d <= limits.DialectPolicy; d++ {
		require.NotEqual(t, "unknown", d.String())
		require.False(t, seen[d.String()], "two are called %s", d)
		seen[d.String()] = true
	}
	require.Equal(t, "unknown", limits.Dialect(0).String())
	require.Equal(t, "unknown", (limits.DialectPolicy + 1).String())
	require.Equal(t, "unknown", limits.Dialect(200).String())
}
