package pacer

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// Half a quota goes at once: as much as is left for the rest of the window then. Once
// the average is what the limit allows, the next waits until it has fallen by as much
// as one request adds.
func TestMeasured(t *testing.T) {
	d := drive(t, Config{Measured: true})
	d.get(says(100, minute, 100, minute))
	for range 51 {
		d.wantWait(0)
		d.send(1)
	}
	require.Positive(t, d.wait(1))

	d = drive(t, Config{Measured: true})
	d.get(says(100, minute, 100, minute))
	l := d.limit()
	l.owed, l.base = 100, d.now
	d.wantWait(scale(minute, math.Log(100.0/99)))
	d.advance(minute)
	require.Zero(t, d.wait(1))
	d.send(1)
	require.InDelta(t, 100/math.E+1, float64(l.owed), 1e-3)
}

// Bursts are for those who have the quota, and most of it.
func TestMeasuredIsEven(t *testing.T) {
	for _, row := range []struct {
		name  string
		left  int64
		share float64
		even  bool
	}{
		{"plenty", 100, 1, false},
		{"little is left", 16, 1, true},
		{"others use most of it", 100, 0.2, true},
		{"others use some of it", 100, 0.5, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			l := limit{quota: 100, window: minute, remaining: row.left, share: shareOf(row.share)}
			l.end = span{Instant(minute - second), Instant(minute)}
			gap := l.gap(0)
			require.Equal(t, row.even, l.slot(gap, 1, &Config{Measured: true}).at == Instant(gap))
		})
	}
}

// A cancelled request leaves the average as it was.
func TestMeasuredCancel(t *testing.T) {
	d := drive(t, Config{Measured: true})
	d.get(says(100, minute, 100, minute))
	d.send(10)
	owed := d.limit().owed
	ticket := d.send(5)
	d.p.Cancel(d.now, &ticket)
	require.Equal(t, owed, d.limit().owed) //nolint:testifylint // Not a difference.
}

// A refusal ends nothing of the average: it is no reason for another burst.
func TestMeasuredAfterARefusal(t *testing.T) {
	d := drive(t, Config{Measured: true})
	d.get(says(100, minute, 100, minute))
	for range 50 {
		d.send(1)
	}
	d.answer(d.send(1), refuses(says(100, minute, 100, minute), second))
	require.Greater(t, float64(d.limit().owed), 40.0)
}
