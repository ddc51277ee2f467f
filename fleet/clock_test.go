package fleet

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/fleet/internal/store"
)

// Times in the store are those of its clock, however far that is from this process's.
func TestClock(t *testing.T) {
	synthetic := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	for _, now := range []int64{0, synthetic.Add(time.Hour).UnixMilli(), store.MostTime} {
		var c clock
		require.Zero(t, c.toStore(synthetic), "it is not known")
		c.set(now, synthetic.Add(-time.Second), synthetic.Add(time.Second))
		require.Equal(t, now, c.toStore(synthetic), "in the middle between question and answer")
		require.Equal(t, int64(store.MostTime), c.after(synthetic, math.MaxInt64))
		require.GreaterOrEqual(t, c.until(store.MostTime, synthetic), time.Duration(0), "the latest of times is not taken for an early one")
	}
}
