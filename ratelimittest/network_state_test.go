package ratelimittest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Too many requests at one instant fail the network for good; as many at several instants do not.
func TestNetworkFailsAtAStandstill(t *testing.T) {
	n := network{most: maxAtOnce}
	now := time.Unix(0, 0)
	for range 3 {
		now = now.Add(1)
		for range maxAtOnce {
			require.NoError(t, n.send(now, true))
		}
		require.NoError(t, n.failure())
	}
	require.ErrorIs(t, n.send(now, true), errStandstill)
	require.ErrorIs(t, n.failure(), errStandstill)
	require.ErrorIs(t, n.send(now.Add(time.Hour), true), errStandstill)
	require.ErrorIs(t, n.failure(), errStandstill)
}

// Too many requests after the end of the calls fail the network, even at different instants.
func TestNetworkFailsAfterTheEndOfTheCalls(t *testing.T) {
	n := network{most: maxAtOnce}
	now := time.Unix(0, 0)
	send := func() error {
		now = now.Add(1)
		return n.send(now, true)
	}
	for range 2 * maxAtOnce {
		require.NoError(t, send())
	}
	n.finish()
	for range 2 * maxAtOnce {
		now = now.Add(1)
		require.NoError(t, n.send(now, false), "its context is done")
	}
	for range maxAtOnce {
		require.NoError(t, send())
	}
	for range maxAtOnce + 1 {
		require.ErrorIs(t, send(), errOverrun)
	}
	require.PanicsWithError(t, errOverrun.Error()+"; and it sends again whatever the error", func() { _ = send() })
	require.ErrorIs(t, n.failure(), errOverrun, "the mutex is unlocked")
}
