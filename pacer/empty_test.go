package pacer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A bucket that tells when it has the next token does not tell how long it takes
// to fill. What it tells when it is empty is all there is to go by.
func TestEmptyBucketIsAskedWhenItHasTheNextToken(t *testing.T) {
	const next, window = 2 * second, 3 * second
	paced := scale(window, 2*strainEmpty/60) // half as fast below the reserve
	for _, row := range []struct {
		name   string
		window time.Duration // as told
		early  bool
		wait   time.Duration
		alone  bool // until its answer comes
	}{
		{"token by token", Unknown, false, next, true},
		{"units came before the time that was told", Unknown, true, paced, false},
		{"the window is told", window, false, paced, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(says(60, row.window, 1, next))
			l := d.limit()
			l.window = window
			l.refill.prove()
			l.refill.came, l.refill.early = 60, row.early
			d.get(says(60, row.window, 0, next))
			d.wantWait(row.wait)
			first := d.proceed()
			require.Equal(t, row.alone, d.wait(1) == trickle)
			d.answer(first, says(60, row.window, 5, next))
			require.LessOrEqual(t, d.wait(1), paced)
		})
	}
}

// Units that come back before the time that was told show that it is not that of
// the next unit. A Date and a reset in whole seconds leave two
// seconds open.
func TestEarlyUnits(t *testing.T) {
	for _, row := range []struct {
		name  string
		after time.Duration
		left  int64
		want  bool
	}{
		{"in time", 10 * second, 51, false},
		{"early by rounding", 10*second - 2*second, 51, false},
		{"early", 10*second - 2*second - 1, 51, true},
		{"none came", 5 * second, 49, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(says(60, Unknown, 50, 10*second))
			d.advance(row.after)
			d.get(says(60, Unknown, row.left, 10*second))
			require.Equal(t, row.want, d.limit().refill.early)
		})
	}
}

// The window is not told, and the longest reset stands in for it. Refusals after a
// few requests contradict that; then a rate is found by trial as if nothing were told.
func TestTrialRulesWhereAGuessedWindowIsRefuted(t *testing.T) {
	for _, row := range []struct {
		name   string
		window time.Duration // as told
		served int           // between refusals
		trial  bool
	}{
		{"refused at once", Unknown, trialFew - 1, true},
		{"refused now and then", Unknown, trialFew, false},
		{"the window is told: others use it", 2 * second, trialFew - 1, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			for range trialDoubts + 1 {
				for range row.served {
					d.get(says(60, row.window, 60, 2*second))
					d.advance(second)
				}
				d.get(refuses(says(60, row.window, 0, 2*second), 2*second))
				d.advance(10 * second)
			}
			d.get(says(60, row.window, 60, 2*second))
			require.Equal(t, row.trial, d.need().gap >= second)
		})
	}
}
