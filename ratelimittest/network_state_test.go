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

// Those that go on after the end are as many, at whatever instants.
func TestNetworkEndsWhatIsLate(t *testing.T) {
	var n network
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
	require.ErrorIs(t, n.failure(), errOverrun, "nothing stays locked")
}
