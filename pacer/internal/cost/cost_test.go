package cost_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer/internal/cost"
)

// learned returns the estimate after estimates of 100, 200 and 300 tokens, and a fall of r by 900.
func learned() (e cost.Estimate) {
	e.Learn(3, 600, 900, 0, 1)
	return e
}

// The caller's estimates are corrected if they are too low. Without one a request is charged twice the average.
func TestCharge(t *testing.T) {
	e := learned()
	require.InDelta(t, 300, e.Usual(), 1e-9)
	for estimate, charge := range map[int64]float64{100: 150, 200: 300, 1: 2, 0: 0, -1: 600} {
		require.InDelta(t, charge, e.Charge(estimate), 1e-9, "an estimate of %d", estimate)
	}
	var high cost.Estimate
	high.Learn(3, 600, 300, 0, 1)
	require.InDelta(t, 100, high.Charge(100), 1e-9, "too high an estimate is the caller's choice")
}

// Before the first reading a request without an estimate has an unknown cost.
func TestUnknown(t *testing.T) {
	var e cost.Estimate
	require.True(t, e.IsUnknown(-1))
	require.False(t, e.IsUnknown(100))
	e = learned()
	require.False(t, e.IsUnknown(-1))
}

// Of r's fall only this client's share counts, and of the units that may have come back two fifths.
func TestUsed(t *testing.T) {
	for name, row := range map[string]struct{ fall, back, share, usual float64 }{
		"alone":             {900, 0, 1, 300},
		"a half":            {900, 0, 0.5, 150},
		"900 came back":     {0, 900, 1, 120},
		"more than it used": {-900, 0, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var e cost.Estimate
			e.Learn(3, 600, row.fall, row.back, row.share)
			require.InDelta(t, row.usual, e.Usual(), 1e-9)
		})
	}
}

// Overtaking does not raise an average: r first falls by too much, and then rises. A window is judged by the fall alone.
func TestOvertaking(t *testing.T) {
	var e cost.Estimate
	require.InDelta(t, 1, e.Part(), 1e-9, "nothing is known")
	e.Learn(1, 100, 250, 0, 1)
	e.Learn(1, 100, -50, 0, 1)
	require.InDelta(t, 100, e.Usual(), 1e-9)
	e.Learn(1, 150, 100, 500, 1)
	require.InDelta(t, 300.0/350, e.Part(), 1e-6)
}

// A cost that the server tells replaces what was charged.
func TestCorrect(t *testing.T) {
	var e cost.Estimate
	e.Correct(1000, 1000)
	require.InDelta(t, 1000, e.Usual(), 1e-9, "in one step")
	require.InDelta(t, 2000, e.Charge(-1), 1e-9)
	e.Correct(2000, 400)
	require.InDelta(t, 700, e.Usual(), 1e-9)
	require.InDelta(t, 1, e.Part(), 1e-9)
	require.True(t, e.IsPossible())
	e.Correct(cost.Most, 1)
	require.True(t, e.IsPossible())
}

// An average fades with requests: after 22 others it weighs half.
func TestAveragesFade(t *testing.T) {
	e := learned()
	for range 29 {
		e.Learn(1, 300, 300, 0, 1)
	}
	for n, usual := range []float64{300, 200, 150} {
		require.InDelta(t, usual, e.Usual(), 3, "after %d requests", 22*n)
		for range 22 {
			e.Learn(1, 100, 100, 0, 1)
		}
	}
}
