//go:build !race

package pacer

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSteadyStateAllocatesNothing(t *testing.T) {
	for _, load := range loads() {
		t.Run(load.name, func(t *testing.T) {
			most := 0.0
			if len(load.answer.Limits) > usualLimits {
				most = 1 // for what the request was charged of the others
			}
			d := steady(load.answer)
			require.LessOrEqual(t, testing.AllocsPerRun(100, func() { d.cycle(load.answer) }), most)
		})
	}
}
