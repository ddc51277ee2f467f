package pacer

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRecentFades(t *testing.T) {
	var r recent
	now := Instant(day)
	for range 60 {
		r.add(now, minute, 1)
		now = now.Add(second)
	}
	require.Equal(t, int64(60), r.sum(now.Add(-second), minute))
	require.InDelta(t, 30, r.sum(now.Add(30*second), minute), 2*60/recentSlots)
	require.Zero(t, r.sum(now.Add(minute), minute))
	require.Zero(t, r.sum(Never, minute))
}

func TestRecentSaturates(t *testing.T) {
	var r recent
	r.add(0, minute, math.MaxUint16)
	r.add(0, minute, MostCost)
	require.Equal(t, int64(math.MaxUint16), r.sum(0, minute))
}

// A clock that goes backwards, and a window that grows, leave the counts, which
// then fade like others.
func TestRecentRenumbers(t *testing.T) {
	for _, row := range []struct {
		name    string
		back    Instant
		longer  int64
		expires Instant
	}{
		{"clock goes back", Instant(day) / 2, 1, Instant(day)/2 + Instant(minute)},
		{"window grows", Instant(day), 2, Instant(day) + 2*Instant(minute)},
	} {
		t.Run(row.name, func(t *testing.T) {
			var r recent
			r.add(Instant(day), minute, 5)
			window := minute * (1 << (row.longer - 1))
			require.Equal(t, int64(5), r.sum(row.back, window))
			require.Zero(t, r.sum(row.expires, window))
		})
	}
	var r recent
	r.add(Instant(day), 0, 5)
	require.Zero(t, r.sum(Instant(day)+recentSlots, 0), "without a window, a slot is a nanosecond")
	r.add(math.MinInt64, minute, 5)
	require.Equal(t, int64(5), r.sum(-1, minute), "before the origin all is one slot")
}
