package pacer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// An answer that another client had in a window that this one has begun by the clock is no guess
// any more: this one's next answer tells of the same window, not of one that ends too early.
func TestToldWindowIsNoGuess(t *testing.T) {
	d := drive(t, even)
	d.get(says(4, minute, 3, minute))
	for range 10 {
		d.agree(d.own(1, 1, 0.25))
		d.advance(minute)
		for d.wait(1) > 0 {
			d.advance(d.wait(1))
		}
		require.True(t, d.limit().guessed)
		d.advance(5 * second)
		began := d.limit().end.mid().Add(-minute)
		in := d.own(1, 1, 0.25)
		in.Remaining, in.ToldAt = 2, d.now.Add(-second)
		d.u = 0.75
		d.agree(in)
		require.False(t, d.limit().guessed)
		require.Equal(t, uint8(0.75*entryParts), d.limit().entry, "the place at which it enters is drawn for each window")
		d.get(says(4, minute, 1, began.Add(minute).Sub(d.now)))
		require.Zero(t, d.limit().refill.evidence)
	}
}

// Others of the same fleet may use their units as soon as a window begins. What is more is a sign
// that it slides.
func TestUseOfTheSameFleet(t *testing.T) {
	for _, row := range []struct {
		name   string
		share  float64 // 0: it has none
		before int     // own requests of the last window
		left   int64
		slides bool
	}{
		{"without a part", 0, 1, 10, true},
		{"without a part, of a busy one", 0, 10, 10, true},
		{"theirs", 0.1, 1, 10, false},
		{"theirs, beside a busy one", 0.1, 10, 10, false},
		{"more than theirs, beside a busy one", 0.5, 10, 10, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			for i := range row.before {
				d.get(says(60, minute, 59-int64(i), minute-time.Duration(i)*second))
				d.advance(second)
			}
			if row.share > 0 {
				d.agree(d.own(20, 20, row.share))
			}
			d.now = d.limit().end.hi.Add(2 * second)
			d.get(says(60, minute, row.left, 58*second))
			require.Equal(t, row.slides, d.limit().refill.evidence > 0)
		})
	}
}

// What others have found of a limit holds for this client as long as they say so, but is not its own
// finding: it does not tell it on, or one mistake would be everybody's for ever.
func TestToldThatItRefills(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 59, minute))
	in := d.own(0, 0, 0.5)
	in.Refills = true
	tell := func() { d.apportion(Parts{Until: d.now.Add(3 * second), Members: 2, Limits: []Part{in}}) }
	tell()
	require.True(t, d.p.State(d.now).Limits[0].Refills)
	require.False(t, d.p.Usage(d.now).Limits[0].Refills)
	for range 5 {
		tell()
		require.Less(t, d.wait(1), minute/2, "there is no window whose units it would wait for")
		d.advance(d.wait(1))
		tell()
		d.send(1)
	}
	for range 5 {
		d.advance(minute)
		tell()
		d.send(1)
	}
	in.Refills, in.Units, in.Next = false, 20, 20
	tell()
	require.False(t, d.p.State(d.now).Limits[0].Refills, "they have changed their minds")
	require.Less(t, d.p.Usage(d.now).Limits[0].Used, int64(3), "the windows went on meanwhile")
	require.Less(t, d.wait(1), minute/10)
	in.Refills = true
	tell()
	d.advance(3 * second)
	state := d.p.State(d.now).Limits[0]
	require.False(t, state.Agreed)
	require.False(t, state.Refills, "nobody says so any more")
}

// A client that is told that a limit refills keeps its own books of it, as others may be wrong: by its
// answers, and by the clock where there are none.
func TestBooksOfWhoIsToldThatItRefills(t *testing.T) {
	for name, answered := range map[string]bool{"answered": true, "not answered": false} {
		t.Run(name, func(t *testing.T) {
			d := drive(t, even)
			d.get(says(60, minute, 59, minute))
			began := d.now
			in := d.own(20, 20, 0.5)
			in.Refills = true
			d.agree(in)
			send := func(left int64) {
				flight := d.send(1)
				if answered {
					d.answer(flight, says(60, minute, left, began.Add(minute).Sub(d.now)))
				}
			}
			for left := range int64(10) {
				d.advance(second)
				send(58 - left)
			}
			began = began.Add(minute)
			d.now = began.Add(2 * second)
			for left := range int64(3) {
				d.wait(1)
				send(59 - left)
				d.advance(second)
			}
			in.Refills, in.End = false, began.Add(minute)
			d.agree(in)
			d.wait(1)
			require.Equal(t, int64(3), d.p.Usage(d.now).Limits[0].Used)
			require.False(t, d.limit().refill.doubted, "it had found nothing itself")
		})
	}
}

// Nor does it find out the less: the one that tells it may leave.
func TestWhoIsToldThatItRefillsFindsOut(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 10, 50*second))
	in := d.own(0, 0, 0.5)
	in.Refills = true
	d.agree(in)
	for range refillProof {
		d.advance(5 * second)
		d.get(says(60, minute, d.limit().remaining+4, d.limit().end.hi.Sub(d.now)))
	}
	require.True(t, d.p.Usage(d.now).Limits[0].Refills)
}

// The end that such a limit tells of is not when all of it is there again.
func TestNothingIsThereAtTheEndOfWhatRefills(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 5, second))
	in := d.own(0, 0, 0.5)
	in.Refills = true
	d.agree(in)
	d.advance(5 * second)
	d.wait(1)
	require.InDelta(t, 10, d.limit().level(d.now), 1e-6)
}

// When nobody says so any more, it is a window again, of which the share is measured.
func TestPaceOfWhatRefilledLapses(t *testing.T) {
	for name, own := range map[string]bool{"own finding": true, "others'": false} {
		t.Run(name, func(t *testing.T) {
			d := drive(t, even)
			d.get(says(60, minute, 59, minute))
			in := d.own(0, 0, 0.25)
			in.Refills = true
			if own {
				d.limit().refill.prove()
			}
			d.agree(in)
			d.advance(day)
			d.wait(1)
			require.Nil(t, d.limit().part())
			slowdown := 1.0
			if own {
				slowdown = 2
			}
			require.InDelta(t, slowdown, d.limit().refill.slowdown(), 1e-6, "it is one of two")
		})
	}
}

// A member that has just joined, and is told no share before others have given back, goes like one
// that has an even share, at the least.
func TestShareOfWhoHasJustJoined(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 59, minute))
	in := d.own(0, 0, 0)
	in.Refills = true
	for _, row := range []struct {
		members int
		want    time.Duration
	}{{8, minute}, {100, 200 * second}} {
		d.apportion(Parts{Until: Never, Members: row.members, Limits: []Part{in}})
		require.InDelta(t, row.want, d.limit().gap(d.now), 10)
	}
}

// A window of others that is far away says nothing of the one that is known.
func TestPartOfAWindowThatIsFarAway(t *testing.T) {
	for _, far := range []time.Duration{2 * minute, time.Hour, 24 * time.Hour, 1000 * time.Hour} {
		d := drive(t, even)
		d.get(says(60, minute, 59, minute))
		in := d.own(0, 30, 0.5)
		in.End = in.End.Add(far)
		d.agree(in)
		require.Equal(t, int64(30), d.limit().allotted())
		in.End = Never
		d.agree(in)
		require.Equal(t, int64(30), d.limit().allotted())
	}
}

// Clients enter a window spread over the time that one unit of each takes, so that all together
// are no faster than the quota, and in its first half.
func TestEntryWithAPart(t *testing.T) {
	for _, row := range []struct {
		members int
		units   int64
		want    time.Duration
	}{{10, 6, 10 * second}, {2, 30, 2 * second}, {60, 1, 30 * second}, {600, 1, 30 * second}} {
		d := drive(t, even)
		d.u = 0.5
		d.get(says(60, minute, 59, minute))
		in := d.own(1, row.units, 1/float64(row.members))
		d.apportion(Parts{Until: Never, Members: row.members, Limits: []Part{in}})
		require.InDelta(t, row.want, d.limit().entrance(), 1)
		entered := d.limit().end.hi.Add(row.want / 2)
		require.InDelta(t, entered.Sub(d.now).Seconds(), d.wait(1).Seconds(), row.want.Seconds()/2/float64(row.members)+0.2)
	}
}
