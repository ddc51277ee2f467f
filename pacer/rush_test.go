package pacer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// windowUsedUp is how one window goes for a client: it enters a while after the
// beginning, sends two requests, and is refused the third.
func windowUsedUp(d *driver, after time.Duration) {
	d.t.Helper()
	const w = minute
	begin := d.now
	d.advance(after)
	left := w - after
	d.get(says(60, w, 40, left))
	d.get(says(60, w, 20, left))
	d.get(refuses(says(60, w, 0, left), left))
	d.advance(begin.Add(w).Sub(d.now))
}

// A quota that is used up early in every window is spent early, too.
func TestRush(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 59, minute))
	d.advance(minute)
	windowUsedUp(d, 6*second)
	require.InDelta(t, 1, d.limit().lasting(), 0, "once is no proof")
	windowUsedUp(d, 6*second)
	const lasts = 6.5 / 60 * 60 / 40 // 40 of 60 were gone when it was seen that the rest is not for this client
	require.InEpsilon(t, lasts, d.limit().lasting(), 0.12, "as exactly as it is kept")
	haste := d.limit().rush.haste
	require.InEpsilon(t, d.limit().interval().Seconds()*d.limit().lasting(), d.limit().entrance().Seconds(), 1e-6, "it comes back sooner")
	require.Equal(t, d.limit().entrance(), d.p.spread(d.p.live, minute, minute), "after a hold, too")

	d.advance(second)
	d.get(says(60, minute, 59, minute))
	require.Equal(t, haste-1, d.limit().rush.haste, "a little longer in every window")
	d.limit().share = share{own: 10, total: 60}
	d.wantGap(scale(interval(d.limit().mine()/float64(second)), d.limit().lasting()))
	require.Greater(t, d.limit().mine(), d.limit().share.value())

	d.advance(30 * second)
	require.Greater(t, d.need().gap, second, "the rest of the window as ever")
}

// How soon a quota is expected to be used up, by how soon it was.
func TestRushUsedUp(t *testing.T) {
	for _, row := range []struct {
		name        string
		before      rush
		part        float64
		mine, blind bool
		after       rush
	}{
		{"early, for the first time", rush{}, 0.1, false, false, rush{early: 1}},
		{"twice", rush{early: 1}, 0.1, false, false, rush{early: 2, haste: 10}},
		{"twice, but not that early", rush{early: 1}, 0.45, false, false, rush{early: 2}},
		{"again", rush{early: 2}, 0.45, false, false, rush{early: 3, haste: 4}},
		{"late", rush{early: 3}, 0.7, false, false, rush{}},
		{"late, as far as is known", rush{early: 3}, 0.7, false, true, rush{early: 3}},
		{"by this client", rush{early: 3}, 0.1, true, false, rush{}},
		{"found used up", rush{early: 1}, 0.16, false, true, rush{early: 2, haste: 18}},
		{"at once", rush{early: 1}, 0, false, false, rush{early: 2, haste: rushMost}},
		{"before it began", rush{early: 1}, -1, false, false, rush{early: 2, haste: rushMost}},
		{"about as expected", rush{early: 2, haste: 10}, 0.09, false, false, rush{early: 3, haste: 10}},
		{"sooner than expected", rush{early: 2, haste: 10}, 0.05, false, false, rush{early: 3, haste: 13}},
		{"for ever", rush{early: 255, haste: 10}, 0.05, false, false, rush{early: 255, haste: 13}},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := row.before
			r.usedUp(row.part, row.mine, row.blind, rushProof)
			require.Equal(t, row.after, r)
		})
	}
}

// Of what may be no window it takes longer to believe it.
func TestRushOfSeenWindows(t *testing.T) {
	var r rush
	for range rushSeen - 1 {
		r.usedUp(0.1, false, false, rushSeen)
		require.InDelta(t, 1, r.lasts(), 0)
	}
	r.usedUp(0.1, false, false, rushSeen)
	require.Less(t, r.lasts(), 0.2)
}

// A rush is forgotten, although clients that rush each other keep it up.
func TestRushEnds(t *testing.T) {
	r := rush{haste: rushMost, early: 9}
	for range rushMost {
		require.Less(t, r.lasts(), 1.0)
		r.next()
		r.open = false
		if r.haste > 0 {
			r.usedUp(rushQuick*r.lasts()+0.001, false, false, rushProof)
		}
	}
	require.InDelta(t, 1, r.lasts(), 0)
	require.Zero(t, r.early)

	r = rush{early: 1, open: true}
	r.next()
	require.Zero(t, r.early, "a window whose quota lasted")
}
