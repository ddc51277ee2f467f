package pacer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestOwnRate(t *testing.T) {
	t.Run("an even pace is measured as it is", func(t *testing.T) {
		for _, every := range []time.Duration{second, 10 * time.Millisecond} {
			var m ownRate
			for range 10 * int(minute/every) {
				m.sent(1, every)
			}
			require.InEpsilon(t, 1/every.Seconds(), m.perSecond(0), 0.01)
		}
	})
	t.Run("a burst counts in full", func(t *testing.T) {
		var m ownRate
		for range 50 {
			m.sent(2, 0)
		}
		require.InDelta(t, 100, float64(m), 1e-3)
		require.InDelta(t, 100.0/60*0.368, m.perSecond(minute), 1e-3, "63 % is forgotten in a period")
	})
	t.Run("one in an hour is next to nothing", func(t *testing.T) {
		var m ownRate
		m.sent(1, time.Hour)
		require.InDelta(t, 1.0/60, float64(m), 1e-6)
	})
	t.Run("a clock set back does no harm", func(t *testing.T) {
		m := ownRate(10)
		m.sent(1, -time.Hour)
		require.InDelta(t, 11, float64(m), 1e-6)
	})
	t.Run("in a partition, holds or not", func(t *testing.T) {
		d := drive(t, even)
		for range 600 {
			d.get(clear200())
			d.advance(second)
		}
		require.InEpsilon(t, 1, d.p.State(d.now).Sending, 0.02)
		d.get(refuses(clear200(), minute))
		d.advance(minute)
		require.InEpsilon(t, 0.37, d.p.State(d.now).Sending, 0.05)
	})
}
