//go:build !race

package pacer_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A request of up to three limits allocates nothing, and plans and queries never allocate.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	for _, load := range loads() {
		t.Run(load.name, func(t *testing.T) {
			d := steady(t, &load)
			require.Zero(t, testing.AllocsPerRun(100, func() { d.cycle(&load) }))
			require.Zero(t, testing.AllocsPerRun(100, func() {
				d.p.Plan(d.now, 10, &one)
				d.p.Uses(&one)
				d.p.Idle(d.now)
				d.p.Held(d.now)
			}))
		})
	}
}
