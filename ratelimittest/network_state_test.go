package ratelimittest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A network is down for good after too many requests at one instant, and not after more
// than that at several.
func TestNetworkStaysDown(t *testing.T) {
	var n network
	now := time.Unix(0, 0)
	for range 3 {
		now = now.Add(1)
		for range mostAtOnce {
			require.True(t, n.send(now))
		}
		require.False(t, n.stoodStill())
	}
	require.False(t, n.send(now))
	require.True(t, n.stoodStill())
	require.False(t, n.send(now.Add(time.Hour)))
	require.True(t, n.stoodStill())
}
