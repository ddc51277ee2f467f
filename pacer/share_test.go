package pacer

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShareOfALoneClientStaysOne(t *testing.T) {
	var s share
	require.InDelta(t, 1, s.value(), 0, "nothing speaks against it")
	for n := range int64(10_000) {
		s.observe(n%3, n%3, 60)
		require.InDelta(t, 1, s.value(), 0)
	}
}

// A little more than what was measured is taken, so that shares grow towards what
// is free.
func TestShareOfSeveralClients(t *testing.T) {
	for _, clients := range []int64{2, 8, 50} {
		var s share
		for range 100 {
			s.observe(1, clients, 60)
		}
		require.Greater(t, s.value(), 1/float64(clients))
		require.Less(t, s.value(), 1.5/float64(clients))
	}
}

func TestShareNeverVanishes(t *testing.T) {
	var s share
	for range 100 {
		s.observe(0, 1_000_000, 1_000_000)
		s.refused()
	}
	require.InDelta(t, shareLeast, s.value(), 0)
}

// Units that came back make the quota fall by less than was used, or rise. That
// says nothing: a client alone would slow itself down for ever.
func TestUnitsThatComeBackDoNotCount(t *testing.T) {
	var s share
	s.observe(5, 3, 60)
	s.observe(5, -50, 60)
	s.observe(0, -1, 60)
	require.InDelta(t, 1, s.value(), 0)
	s.observe(1, 12, 60)
	require.Less(t, s.value(), 0.6, "nor does it hide others")
}

// Evidence reaches back as many units as the quota has, so a client that is alone
// again soon has all of it.
func TestShareFades(t *testing.T) {
	var s share
	for range 100 {
		s.observe(1, 10, 60)
	}
	require.Less(t, s.value(), 0.2)
	require.LessOrEqual(t, s.total, float32(60))
	for range 3 * 60 {
		s.observe(1, 1, 60)
	}
	require.Greater(t, s.value(), 0.9)
}

func TestRefusalLowersTheShare(t *testing.T) {
	var s share
	s.refused()
	require.InDelta(t, 1, s.value(), 0, "of nothing known it says nothing")
	s.observe(10, 10, 60)
	s.refused()
	require.Less(t, s.value(), 0.8)
}

// What was refused has used nothing, and while units are left says nothing of others.
func TestRefusedRequestIsNoUse(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 30, 50*second))
	d.limit().share = share{own: 10, total: 20}
	d.get(refuses(says(60, minute, 30, 50*second), second))
	require.Equal(t, share{own: 10, total: 20}, d.limit().share)
}

// A window that is half used up when it has just begun shows that others are there.
func TestFirstReadingShowsOthers(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 30, minute))
	require.Less(t, d.limit().share.value(), 0.1)

	d = drive(t, even)
	d.get(says(60, minute, 30, 40*second))
	require.InDelta(t, 1, d.limit().share.value(), 0, "in the middle of a window it does not")
}

// Requests of this client that are under way are not others' use.
func TestRequestsUnderWayAreOwnUse(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 59, minute))
	a, b, c := d.send(1), d.send(1), d.send(1)
	d.answer(a, says(60, minute, 58, minute))
	d.answer(c, says(60, minute, 56, minute))
	d.answer(b, says(60, minute, 57, minute))
	require.InDelta(t, 1, d.limit().share.value(), 0)
	require.Equal(t, int64(56), d.limit().left())
}

// Answers to requests that are in flight together tell of each other's use in any
// order. That is not others' use, which shows all the same.
func TestOvertakingIsNoUseOfOthers(t *testing.T) {
	for _, row := range []struct {
		name   string
		others int64
		share  float64
	}{{"alone", 0, 1}, {"others use as much at the same time", 8, 0.5}} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, Config{Measured: true})
			d.get(says(60, minute, 59, 59*second))
			d.get(says(60, minute, 58, 59*second))
			var burst []Ticket
			for range 8 {
				burst = append(burst, d.send(1))
			}
			// In this order the server counts them, and they are answered by number.
			for i, nth := range []int64{7, 1, 2, 8, 3, 4, 5, 6} {
				d.answer(burst[i], says(60, minute, 58-nth-row.others*nth/8, 59*second))
			}
			d.get(says(60, minute, 58-8-row.others-1, 59*second))
			require.InDelta(t, row.share, d.limit().share.measured(), 0.1)
		})
	}
}
