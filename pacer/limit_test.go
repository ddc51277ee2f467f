package pacer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What an idle client may send unspaced: Burst of the quota, at least one unit and
// at most one less than is left, and of a shared quota its share.
func TestCredit(t *testing.T) {
	for _, row := range []struct {
		name         string
		burst        float64
		quota, left  int64
		share, units float64
	}{
		{"a tenth", 0, 1000, 900, 1, 100},
		{"ten of a small quota", 0, 60, 50, 1, 10},
		{"one less than is left", 0, 1000, 20, 1, 19},
		{"nothing of the last unit", 0, 1000, 1, 1, 0},
		{"nothing of nothing", 0, 1000, 0, 1, 0},
		{"never less than one unit", 0.001, 60, 50, 1, 1},
		{"half of it for half of the quota", 0, 1000, 900, 0.5, 50},
		{"one unit for a small share", 0, 1000, 900, 0.01, 1},
		{"none", -1, 1000, 900, 1, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			l := limit{quota: row.quota, window: minute, remaining: row.left}
			l.share = shareOf(row.share)
			require.InDelta(t, row.units, l.credit(&Config{Burst: row.burst}), 0.2)
		})
	}
}

// A client that has idled sends its credit at once, and evenly from then on.
func TestCreditIsSpentOnce(t *testing.T) {
	d := drive(t, Config{Burst: 0.1, Jitter: -1})
	d.get(says(100, 100*second, 100, 100*second))
	d.advance(200 * second)
	d.get(says(100, 100*second, 100, 100*second))
	for range 9 {
		d.wantWait(0)
		d.send(1)
	}
	require.Greater(t, d.wait(1), time.Duration(0))
	require.LessOrEqual(t, d.wait(1), second)
}

func TestCostCountsSoManyTimes(t *testing.T) {
	d := drive(t, even)
	d.get(says(100, 100*second, 100, 100*second))
	d.advance(second)
	for _, cost := range []int64{1, 5, 0, 2} {
		before := d.limit().left()
		d.send(cost)
		require.Equal(t, before-cost, d.limit().left())
		wait := d.wait(1)
		require.InEpsilon(t, float64(cost)+1e-9, wait.Seconds()+1e-9, 0.1)
		d.advance(wait)
	}
}

// The floor of a window: what is left must do for the request's cost, and this
// client's share of it for one unit. Otherwise the next window is waited for.
func TestFloorOfAWindow(t *testing.T) {
	const entered = 1 // of a window of which something was used by this client
	for _, row := range []struct {
		name       string
		left, cost int64
		share      float64
		began      int64
		waits      bool
	}{
		{"enough", 5, 5, 1, entered, false},
		{"too little for its cost", 5, 6, 1, entered, true},
		{"nothing", 0, 1, 1, entered, true},
		{"nothing, but the request is free", 0, 0, 1, entered, false},
		{"nothing, but its cost is negative", 0, -3, 1, entered, false},
		{"cost above the quota, window full", 60, 100, 1, entered, false},
		{"cost above the quota, window not full", 59, 100, 1, entered, true},
		{"share of what is left does for one", 5, 1, 0.3, entered, false},
		{"share of what is left does not", 5, 1, 0.1, entered, true},
		{"share does not, but one per window is everybody's", 5, 1, 0.1, 2, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			end := span{lo: Instant(9 * second), hi: Instant(10 * second)}
			l := limit{quota: 60, window: minute, remaining: row.left, units: 2, mark: 2, began: row.began, end: end}
			l.share = shareOf(row.share)
			if row.waits {
				require.Equal(t, l.opens(0), l.floor(0, row.cost, 0))
				require.Equal(t, l.opens(second), l.floor(0, row.cost, second), "slack is added")
				require.GreaterOrEqual(t, l.opens(0), end.hi)
			} else {
				require.Zero(t, l.floor(0, row.cost, 0))
			}
		})
	}
}

// The floor of a refilling limit: single units are the pace's affair; for more it
// is waited until they have come back.
func TestFloorOfARefillingLimit(t *testing.T) {
	l := limit{quota: 60, window: minute, remaining: 2}
	l.refill.prove()
	require.Zero(t, l.floor(0, 1, 0))
	require.Zero(t, l.floor(0, 2, 0))
	require.InDelta(t, 3.0, time.Duration(l.floor(0, 5, 0)).Seconds(), 1e-6)
	require.InDelta(t, 58.0, time.Duration(l.floor(0, 1000, 0)).Seconds(), 1e-6, "a cost above the quota waits for all of it")
	l.refill.strain = 2
	require.InDelta(t, 6.0, time.Duration(l.floor(0, 5, 0)).Seconds(), 1e-6)
}

// A limit of which only q and w were told is paced evenly and never used up.
func TestRemainingUnknown(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, Unknown, Unknown))
	d.wantGap(second)
	for range 100 {
		d.proceed()
	}
	require.Equal(t, int64(Unknown), d.p.State(d.now).Limits[0].Remaining)
}

// shareOf is a share that has that value.
func shareOf(value float64) share {
	s := share{own: 100, total: 100}
	for s.value() > value {
		s.total *= 1.001
	}
	return s
}
