package fleet

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/fleet/internal/store"
)

// synthetic is a time of this process.
var synthetic = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// Times in the store are those of its clock, however far that is from this process's.
func TestClock(t *testing.T) {
	for _, row := range []struct {
		name string
		now  int64 // the store's time
	}{
		{"1970", 0},
		{"ahead", synthetic.Add(time.Hour).UnixMilli()},
		{"the latest that there is", store.MostTime},
	} {
		t.Run(row.name, func(t *testing.T) {
			var c clock
			require.False(t, c.known())
			require.Zero(t, c.toStore(synthetic))
			c.set(row.now, synthetic.Add(-time.Second), synthetic.Add(time.Second))
			require.True(t, c.known())
			require.Equal(t, row.now, c.toStore(synthetic), "in the middle between question and answer")
			require.Zero(t, c.until(row.now, synthetic))
			require.Equal(t, -time.Minute, c.until(row.now-60_000, synthetic))
			require.Equal(t, min(row.now+60_000, store.MostTime), c.after(synthetic, time.Minute))
			require.Zero(t, c.after(synthetic, 0))
			require.Zero(t, c.toStore(time.Unix(-100_000_000_000, 0)), "before 1970")
			require.Equal(t, int64(store.MostTime), c.after(synthetic, math.MaxInt64))
			require.GreaterOrEqual(t, c.until(store.MostTime, synthetic), time.Duration(0), "the latest of times is not taken for an early one")
		})
	}
}
