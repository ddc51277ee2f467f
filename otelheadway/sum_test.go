package otelheadway

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
)

// Each is scarcer than all that follow, in whatever order they are met.
func TestScarcer(t *testing.T) {
	limits := []headway.LimitState{
		{Quota: 5000, Remaining: 0},
		{Quota: 60, Remaining: 0},
		{Quota: -1, Remaining: 0},
		{Quota: 5000, Remaining: 100},
		{Quota: 60, Remaining: 30},
		{Quota: 600, Remaining: 300},
		{Quota: 0, Remaining: 1},
		{Quota: -1, Remaining: 1},
		{Quota: 60, Remaining: 60},
		{Quota: 60, Remaining: -1},
		{Quota: -1, Remaining: -1},
	}
	for i := range limits {
		for j := range limits {
			require.Equal(t, i < j, scarcer(&limits[i], &limits[j]), "%+v and %+v", limits[i], limits[j])
		}
	}
}
