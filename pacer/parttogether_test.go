package pacer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A hold that others met does not move a slot that is after it: where there is one after another,
// each would draw it anew, and the pace would be that of the draws.
func TestToldHoldLeavesLaterSlots(t *testing.T) {
	holds := map[string]func(in Part, until Instant) Parts{
		"on everything": func(in Part, until Instant) Parts {
			return Parts{Until: Never, Members: 100, HeldUntil: until, Limits: []Part{in}}
		},
		"on the limit": func(in Part, until Instant) Parts {
			in.HeldUntil = until
			return Parts{Until: Never, Members: 100, Limits: []Part{in}}
		},
	}
	for name, hold := range holds {
		t.Run(name, func(t *testing.T) {
			d := drive(t, even)
			d.get(says(60, minute, 59, minute))
			in := d.own(1, 1, 0.01)
			in.Refills = true
			d.apportion(hold(in, 0))
			for d.wait(1) == 0 {
				d.send(1)
			}
			slot := d.now.Add(d.wait(1))
			require.Greater(t, slot.Sub(d.now), minute)
			for i := range 40 {
				d.advance(second)
				d.u = float64(i%10) / 10
				d.apportion(hold(in, d.now.Add(4*second)))
				require.True(t, d.p.Held(d.now))
				require.Equal(t, slot, d.now.Add(d.wait(1)))
			}
			d.apportion(hold(in, slot.Add(second)))
			require.GreaterOrEqual(t, d.now.Add(d.wait(1)), slot.Add(second))
			if name == "on everything" {
				require.Greater(t, d.p.base, d.now, "requests that use nothing of it come back spread, too")
			}
		})
	}
}

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

// Others of the same fleet may use their units as soon as a window begins.
func TestUseOfTheSameFleet(t *testing.T) {
	for _, shared := range []bool{false, true} {
		d := drive(t, even)
		d.get(says(60, minute, 59, minute))
		if shared {
			d.agree(d.own(1, 1, 0.02))
		}
		d.advance(minute + 2*second)
		d.get(says(60, minute, 10, 58*second))
		require.Equal(t, !shared, d.limit().refill.evidence > 0, "else it seems to slide")
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
