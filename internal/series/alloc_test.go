//go:build !race

package series

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/series/seriestest"
)

// Finding the label of a known policy allocates nothing.
func TestAllocationsOfPolicies(t *testing.T) {
	set := &Set[*silent]{MaxPartitions: 1, MaxPolicies: 1, New: func(string, string) *silent { return &silent{} }}
	trace, ctx := seriestest.Instrumented(t, set, nil).Trace, t.Context()
	for _, policies := range [][]string{{"a"}, {"no room"}, {""}} {
		require.Zero(t, int(testing.AllocsPerRun(1000, func() {
			trace.Abandoned(ctx, headway.SentInfo{Partition: testPartition, Policy: policies[0], Cause: headway.CausePace})
			trace.Throttled(ctx, headway.ThrottledInfo{Partition: testPartition, Policies: policies, Status: 429})
		})))
	}
}
