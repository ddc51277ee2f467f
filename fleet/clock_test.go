package fleet

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// synthetic is a time of this process.
var synthetic = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func TestClock(t *testing.T) {
	tests := []struct {
		name string
		now  int64 // the store's time
	}{
		{"1970", 0},
		{"the same time", synthetic.UnixMilli()},
		{"behind", synthetic.Add(-time.Hour).UnixMilli()},
		{"ahead", synthetic.Add(time.Hour).UnixMilli()},
		{"the latest that there is", mostTime},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var c clock
			require.False(t, c.known())
			require.Zero(t, c.toStore(synthetic))
			c.set(test.now, synthetic.Add(-time.Second), synthetic.Add(time.Second))
			require.True(t, c.known())
			require.Equal(t, test.now, c.toStore(synthetic), "in the middle between question and answer")
			require.Zero(t, c.until(test.now, synthetic))
			require.Equal(t, -time.Minute, c.until(test.now-60_000, synthetic))
			require.Equal(t, min(test.now+60_000, mostTime), c.after(synthetic, time.Minute))
			require.Zero(t, c.after(synthetic, 0))
		})
	}
}

func TestClockBounds(t *testing.T) {
	var c clock
	c.set(synthetic.UnixMilli(), synthetic, synthetic)
	require.Zero(t, c.toStore(time.Unix(-100, 0)), "before 1970")
	require.Equal(t, int64(mostTime), c.toStore(synthetic.AddDate(280, 0, 0)))
	require.Equal(t, int64(mostTime), c.after(synthetic, math.MaxInt64))
	require.Positive(t, c.until(mostTime, synthetic), "the latest of times is not taken for an early one")
	c.set(mostTime, synthetic, synthetic)
	require.Negative(t, c.until(0, synthetic))
	c.set(0, synthetic, synthetic)
	require.Positive(t, c.until(mostTime, synthetic))
}

func TestPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		require.True(t, pause(t.Context(), time.Minute))
		require.Equal(t, time.Minute, time.Since(begun))
		require.True(t, pause(t.Context(), -time.Minute))
		require.Equal(t, time.Minute, time.Since(begun))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.False(t, pause(ctx, time.Minute))
		require.Equal(t, time.Minute+time.Second, time.Since(begun))
	})
}

func TestJittered(t *testing.T) {
	var least, most time.Duration = time.Hour, 0
	for range 1000 {
		d := jittered(time.Second)
		least, most = min(least, d), max(most, d)
	}
	require.GreaterOrEqual(t, least, 900*time.Millisecond)
	require.LessOrEqual(t, most, 1100*time.Millisecond)
	require.Less(t, least, 920*time.Millisecond)
	require.Greater(t, most, 1080*time.Millisecond)
}
