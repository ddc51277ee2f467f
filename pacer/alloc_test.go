//go:build !race

package pacer_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Requests allocate nothing, but one that uses more than two limits allocates once for what it was charged of the others;
// plans and queries never do.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	for _, load := range loads() {
		t.Run(load.name, func(t *testing.T) {
			most := 0.0
			if len(load.answer.Limits) > 2 {
				most = 1
			}
			d := steady(t, load.answer)
			require.LessOrEqual(t, testing.AllocsPerRun(100, func() { d.cycle(load.answer) }), most)
			require.Zero(t, testing.AllocsPerRun(100, func() {
				d.p.Plan(d.now, 10, &one)
				d.p.Uses(&one)
				d.p.Idle(d.now)
				d.p.Held(d.now)
			}))
		})
	}
}
