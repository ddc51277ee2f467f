package refusal_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer/internal/refusal"
)

// Rounds of refusals that report no time hold ever longer. Later refusals of a round add nothing.
func TestBackoff(t *testing.T) {
	var r refusal.Rounds
	for _, seconds := range []float64{0.25, 0.5, 1, 2, 4, 8, 16, 32, 60, 60, 60} {
		require.InDelta(t, seconds, r.Wait(-1, true), 1e-9)
		require.Zero(t, r.Wait(-1, false))
	}
	for range 17 {
		r.Wait(-1, true)
	}
	for _, seconds := range []float64{120, 240, 480, 960, 960} {
		require.InDelta(t, seconds, r.Wait(-1, true), 1e-9, "each request may renew a block")
	}
	r.End()
	require.InDelta(t, 0.25, r.Wait(-1, true), 1e-9, "a success ends it")
}
