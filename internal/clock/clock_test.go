package clock

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestClockCountsFromItsOrigin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New()
		begun := c.Now()
		require.EqualValues(t, 48*time.Hour, begun, "what a snapshot tells of lies between")
		time.Sleep(time.Minute)
		require.Equal(t, begun.Add(time.Minute), c.Now())
		now, at := c.Read()
		require.Equal(t, c.Now(), now)
		require.True(t, at.Equal(Wall()))
		require.Equal(t, now, c.Instant(at))
	})
}

func TestClockConverts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New()
		now, at := c.Read()
		for _, test := range []struct {
			name  string
			after time.Duration
		}{
			{"now", 0},
			{"later", 90 * time.Minute},
			{"before", -47 * time.Hour},
		} {
			then, when := now.Add(test.after), at.Add(test.after)
			require.Equal(t, then, c.Instant(when), test.name)
			require.Equal(t, then, c.Until(when), test.name)
			require.Equal(t, then, c.Until(when.Round(0)), test.name) // without a monotonic reading
			require.True(t, when.Equal(c.Time(then)), test.name)
			require.True(t, when.Equal(c.TimeOrZero(then)), test.name)
		}
	})
}

// No Instant is no time.
func TestClockConvertsNothing(t *testing.T) {
	c := New()
	require.True(t, c.TimeOrZero(0).IsZero())
	require.True(t, c.TimeOrZero(-1).IsZero())
	require.False(t, c.TimeOrZero(1).IsZero())
	require.False(t, c.Time(0).IsZero())
}
