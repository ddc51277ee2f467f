package main

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGrows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	noisy := func(slope, noise float64) []float64 {
		samples := make([]float64, 60)
		for i := range samples {
			samples[i] = 1000 + slope*float64(i) + noise*rng.NormFloat64()
		}
		return samples
	}
	warmedUp := noisy(0, 1)
	for i := range len(warmedUp) / 2 {
		warmedUp[i] /= 10
	}
	kind := gaugeKind{name: "things", slack: 50}
	for _, test := range []struct {
		name    string
		samples []float64
		want    bool
	}{
		{"flat", noisy(0, 0), false},
		{"noise", noisy(0, 300), false},
		{"it grew at first only", warmedUp, false},
		{"it grows within the slack", noisy(3, 1), false},
		{"it grows", noisy(6, 1), true},
		{"it grows below noise", noisy(20, 100), true},
		{"it falls", noisy(-10, 1), false},
		{"too few to tell", noisy(10, 1)[:enough-1], false},
	} {
		t.Run(test.name, func(t *testing.T) { require.Equal(t, test.want, kind.grows(test.samples)) })
	}
}
