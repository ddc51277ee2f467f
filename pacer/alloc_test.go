//go:build !race

package pacer

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSteadyStateAllocatesNothing(t *testing.T) {
	for _, load := range loads() {
		t.Run(load.name, func(t *testing.T) {
			d := steady(load.answer)
			require.Zero(t, testing.AllocsPerRun(100, func() { d.cycle(load.answer) }))
		})
	}
}
