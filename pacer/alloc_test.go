//go:build !race

package pacer_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A request allocates nothing, except once for its charges if it uses more than two limits. Plans and queries
// never allocate.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	for _, load := range loads() {
		t.Run(load.name, func(t *testing.T) {
			most := 0.0
			if len(load.answer.Limits) > 2 {
				most = 1
			}
			d := steady(t, &load)
			require.LessOrEqual(t, testing.AllocsPerRun(100, func() { d.cycle(&load) }), most)
			require.Zero(t, testing.AllocsPerRun(100, func() {
				d.p.Plan(d.now, 10, &one)
				d.p.Uses(&one)
				d.p.Idle(d.now)
				d.p.Held(d.now)
			}))
		})
	}
}
