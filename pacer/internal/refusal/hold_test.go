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
	for r.N < 28 {
		r.Wait(-1, true)
	}
	for _, seconds := range []float64{120, 240, 480, 960, 960} {
		require.InDelta(t, seconds, r.Wait(-1, true), 1e-9, "each request may renew a block")
	}
	r.End()
	require.InDelta(t, 0.25, r.Wait(-1, true), 1e-9, "a success ends it")
}

// A reported time counts, but at least two fifths of the backoff, which is 2 s here.
func TestReportedTime(t *testing.T) {
	for reported, wait := range map[float64]float64{5: 5, 1: 1, 0: 0.8} {
		var r refusal.Rounds
		for range 3 {
			r.Wait(reported, true)
		}
		require.InDelta(t, wait, r.Wait(reported, true), 1e-9, "reported %g", reported)
	}
}

// A refusal 0.1 s after the server's time adds 0.35 s to the next ones. The margin halves in ten minutes.
func TestMarginHalves(t *testing.T) {
	var m refusal.Margin
	m.TooEarly(15, 0.1, 60)
	for after, margin := range map[float64]float64{0: 0.35, 600: 0.175, 1200: 0.0875, 6000: 0.35 / 1024} {
		require.InDelta(t, margin, m.Of(15+after), 1e-9, "after %g s", after)
	}
}

// The margin at least doubles with each refusal, up to the second to which servers round. It is a fifth of a window
// at most, and refusals that come later than a second have another reason.
func TestMargin(t *testing.T) {
	for _, row := range []struct {
		name         string
		late, window float64
		margins      []float64
	}{
		{"a minute", 0.1, 60, []float64{0.35, 0.7, 1, 1}},
		{"a second", 0.1, 1, []float64{0.15, 0.2, 0.2}},
		{"too late", 1, 60, []float64{0}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var m refusal.Margin
			for _, margin := range row.margins {
				m.TooEarly(1, row.late, row.window)
				require.InDelta(t, margin, m.Of(1), 1e-9)
			}
		})
	}
}
