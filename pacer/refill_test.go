package pacer

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// refilling is a driver whose only limit, 60 per minute, is known to refill.
func refilling(t *testing.T) *driver {
	t.Helper()
	d := drive(t, even)
	d.get(says(60, minute, 59, second))
	d.limit().refill.prove()
	d.limit().share = share{}
	return d
}

// Units that come back long before the window's end are one piece of evidence.
func TestRefillIsProvenByTwoPieces(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 10, 50*second))
	for _, proven := range []bool{false, true} {
		d.advance(5 * second)
		d.get(says(60, minute, d.limit().remaining+4, d.limit().end.hi.Sub(d.now)))
		require.Equal(t, proven, d.limit().refill.proven())
	}
	require.True(t, d.p.State(d.now).Limits[0].Refills)
}

// So is an end that comes too early for the window after the old one, and yet is
// not the old one's.
func TestMovingEndIsEvidence(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 58, 2*second))
	for i := range 2 {
		d.advance(5 * second)
		d.get(says(60, minute, 58, 2*second))
		require.Equal(t, i == 1, d.limit().refill.proven())
	}
}

// A request that was processed after a younger one, and answered before it, makes
// it seem that two units came back.
func TestOvertakingAnswersAreNoEvidence(t *testing.T) {
	for _, row := range []struct {
		name   string
		cost   int64
		told   int64 // after 500 less two, when one less was to be expected
		proofs uint8
	}{
		{"two overtook each other", 1, 500 - 1, 0},
		{"one unit more", 1, 500, 1},
		{"two of five units", 5, 500 - 5, 0},
		{"one unit more, of five", 5, 500 - 4, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(says(600, minute, 500, 50*second))
			a, b := d.send(row.cost), d.send(row.cost)
			d.answer(a, says(600, minute, 500-2*row.cost, 50*second))
			d.answer(b, says(600, minute, row.told, 50*second))
			require.Equal(t, row.proofs, d.limit().refill.evidence)
		})
	}
}

// A "new" window in which this client's requests of the old one still count is a
// sliding one.
func TestSlidingWindowIsProvenAtOnce(t *testing.T) {
	d := drive(t, even)
	for left := int64(59); left >= 30; left-- {
		d.get(says(60, minute, left, minute-time.Duration(59-left)*second))
		d.advance(second)
	}
	d.advance(30*second + time.Millisecond)
	d.get(says(60, minute, 31, minute))
	require.True(t, d.limit().refill.proven())
	require.InDelta(t, 1, d.limit().share.value(), 0, "what it believed of others was wrong")
}

// That the window was longer than it seemed makes no difference, nor that the
// clock had begun the next one.
func TestSlidingWindowIsProvenWhereOnlyItsRestWasSeen(t *testing.T) {
	seen := func(left int64, reset time.Duration) Answer {
		return says(60, Unknown, left, reset)
	}
	d := drive(t, even)
	for left := int64(59); left >= 30; left-- {
		d.get(seen(left, 15*second-time.Duration(59-left)*second/2))
		d.advance(second / 2)
	}
	d.advance(second)
	d.wait(1)
	require.True(t, d.limit().guessed)
	d.get(seen(30, minute))
	require.True(t, d.limit().refill.proven())
}

// Others' use is too much for a window that is said to have just begun. Twice it
// proves that it slides, but not once more after that was wrong.
func TestOldUseProvesASlidingWindow(t *testing.T) {
	for _, row := range []struct {
		name    string
		left    int64
		doubted bool
		proven  bool
	}{
		{"nearly all is used", 2, false, true},
		{"little is used", 50, false, false},
		{"it was doubted", 2, true, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(says(60, minute, 2, minute))
			d.limit().refill.doubted = row.doubted
			for range 2 {
				d.advance(minute + second)
				d.get(says(60, minute, row.left, minute))
			}
			require.Equal(t, row.proven, d.limit().refill.proven())
		})
	}
}

func TestNewWindowIsNoSlidingOne(t *testing.T) {
	d := drive(t, even)
	for left := int64(59); left >= 30; left-- {
		d.get(says(60, minute, left, minute-time.Duration(59-left)*second))
		d.advance(second)
	}
	d.advance(30*second + time.Millisecond)
	d.get(says(60, minute, 59, minute))
	require.False(t, d.limit().refill.proven())
}

// For seconds nothing came back, and the end stayed where it was: a window.
func TestDoubtUndoesTheProof(t *testing.T) {
	d := refilling(t)
	end := d.now.Add(40 * second)
	left := int64(50)
	for range 30 {
		d.get(says(60, minute, left, end.Sub(d.now)))
		left--
		d.advance(second)
	}
	require.False(t, d.limit().refill.proven())
	require.Equal(t, refill{doubted: true}, d.limit().refill)
}

// A bucket that is filled in steps gives nothing back between two of them.
func TestNoDoubtWithinAStep(t *testing.T) {
	d := refilling(t)
	for range 5 {
		for n := range int64(6) {
			d.get(says(60, minute, 30-n, time.Duration(6-n)*second))
			d.advance(second)
		}
	}
	require.True(t, d.limit().refill.proven())
}

// Requests that are free seem to come back at once. But there never is more than
// before, and what counts is used up: a window. They prove nothing from then on.
func TestFreeRequestsAreNoRefill(t *testing.T) {
	for _, row := range []struct {
		name    string
		slides  bool // proven by what they cannot explain
		free    int  // of three requests
		refills bool
	}{
		{"one of three is free", false, 1, false},
		{"r stays where it is", false, 3, true},
		{"sliding", true, 1, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := refilling(t)
			if !row.slides {
				d.limit().refill.evidence = refillProof
			}
			end, left := d.now.Add(minute), int64(59)
			for i := range 45 {
				if i%3 >= row.free {
					left--
				}
				d.get(says(60, minute, left, end.Sub(d.now)))
				d.advance(second)
			}
			require.Equal(t, row.refills, d.limit().refill.proven())
		})
	}
}

// An end that recedes is none.
func TestNoDoubtWhileTheEndRecedes(t *testing.T) {
	d := refilling(t)
	for range 60 {
		d.get(says(60, minute, 50, 10*second))
		d.advance(second)
	}
	require.True(t, d.limit().refill.proven())
}

// The pace by what is there: half of nominal at nothing, nominal from the reserve
// on, and a little more where much is left and all of the quota was seen to come back.
func TestRateOfARefillingLimit(t *testing.T) {
	const nominal, quota = 0.5, 100.0
	full := reserve + reserveShare*quota
	for _, row := range []struct {
		name    string
		came    float32
		strain  float64
		level   float64
		nominal float64 // so many times
	}{
		{"nothing: half, never a stop", 101, 0, 0, 0.5},
		{"the reserve's lower end", 101, 0, reserve, 0.5 * (1 + spendUp*reserve/quota)},
		{"the reserve's upper end", 101, 0, full, 1 + spendUp*full/quota},
		{"full", 101, 0, quota, 1 + spendUp},
		{"full, but not all of the quota was seen to come back", 100, 0, quota, 1},
		{"full, but nothing was seen to come back", 0, 0, quota, 1},
		{"strained", 0, 4, quota, 0.25},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := refill{came: row.came, strain: float32(row.strain)}
			require.InDelta(t, row.nominal*nominal, f.rate(nominal, row.level, quota, 1), 1e-9)
		})
	}
}

// Units come back while nobody asks.
func TestLevelRises(t *testing.T) {
	d := refilling(t)
	d.get(says(60, minute, 10, second))
	l := d.limit()
	require.InDelta(t, 10, l.level(d.now), 1e-6)
	require.InDelta(t, 10, l.level(d.now.Add(-minute)), 1e-6, "a clock that goes back takes nothing away")
	require.InDelta(t, 15, l.level(d.now.Add(5*second)), 1e-6)
	require.InDelta(t, 60, l.level(d.now.Add(2*minute)), 1e-6, "up to the quota")
}

// Strain rises by factors and eases by equal steps of the rate, both over time.
func TestStrain(t *testing.T) {
	const second = 1.0 / 60 // of a window
	var f refill
	f.adjust(&reading{left: 0}, 60, true, second)
	require.InDelta(t, strainEmpty, f.slowdown(), 1e-6, "used up")
	f.refused()
	require.InDelta(t, strainEmpty*strainRefused, f.slowdown(), 1e-6, "refused")
	before := f.slowdown()
	f.adjust(&reading{refused: true}, 60, false, second)
	require.InDelta(t, before, f.slowdown(), 1e-6, "counts once a round")

	for _, row := range []struct {
		name   string
		left   int64
		alone  bool
		part   float64
		strain float64 // factor
		ease   float64
	}{
		{"next to nothing, and others use it", 1, false, second, math.Exp(strainLow * second * 2 / 3), 0},
		{"next to nothing of its own use", 1, true, second, 1, easeAlone * second},
		{"some", 3, false, second, 1, easeShared * second},
		{"some for the first time in an hour", 3, false, 60, 1, easeShared},
		{"a clock set back", 3, false, -second, 1, 0},
		{"half", 30, false, second, 1, easeAlone * second},
		{"nearly all", 45, false, second, 1.0 / strainPlenty, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := refill{strain: 100}
			f.adjust(&reading{left: row.left}, 60, row.alone, row.part)
			require.InDelta(t, 1/(1/(100*row.strain)+row.ease), f.slowdown(), 1e-3)
		})
	}
	for range 1000 {
		f.adjust(&reading{left: 30}, 60, true, 1)
	}
	require.InDelta(t, 1, f.slowdown(), 1e-6, "never faster than nominal")
	for range 1000 {
		f.adjust(&reading{left: 0}, 60, false, second)
	}
	require.InDelta(t, strainMost, f.slowdown(), 1e-6)
}

// Who has sent what is used is alone: by the slots of the last window, or because
// they cannot count so many.
func TestAlone(t *testing.T) {
	for _, row := range []struct {
		name              string
		quota, left, sent int64
		unit              uint8
		want              bool
	}{
		{"all of it", 60, 0, 60, 0, true},
		{"nearly", 60, 0, 52, 0, true},
		{"not quite", 60, 0, 51, 0, false},
		{"nothing is used", 60, 60, 0, 0, true},
		{"too many to count", 10_000_000, 0, 70_000, 0, true},
		{"another unit", 60, 0, 1, 1, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			now := Instant(time.Hour)
			l := limit{quota: row.quota, window: minute, unit: row.unit}
			if row.unit > 0 {
				l.estimate = &estimate{}
			}
			l.recent.add(now, minute, row.sent)
			require.Equal(t, row.want, l.alone(&reading{now: now, left: row.left}))
		})
	}
}

// Sixty requests in flight that are all refused are one round: they slow down once.
func TestRefusalsOfARoundStrainOnce(t *testing.T) {
	d := refilling(t)
	flight := make([]Ticket, 60)
	for i := range flight {
		flight[i] = d.send(1)
	}
	for _, ticket := range flight {
		d.answer(ticket, refuses(says(60, minute, 0, second), second))
	}
	require.InDelta(t, strainRefused, d.limit().refill.slowdown(), 1e-6)
	d.advance(minute)
	d.answer(d.send(1), refuses(says(60, minute, 0, second), second))
	require.InDelta(t, strainRefused*strainRefused, d.limit().refill.slowdown(), 1e-6)
}

// r = 0 on a success is the normal state of a client that uses all of it.
func TestRefillingLimitNeverStopsAtZero(t *testing.T) {
	d := refilling(t)
	d.limit().refill.came = 1
	d.get(says(60, minute, 0, second))
	require.LessOrEqual(t, d.wait(1), time.Duration(2*strainEmpty*float64(second)))
}

// A log gives nothing back for a whole window: what is left is made to last.
func TestUntouchedQuotaIsMadeToLast(t *testing.T) {
	var f refill
	require.InDelta(t, 1, f.rate(1, 30, 60, 1), 1e-6, "plenty")
	require.InDelta(t, 0.5/untouchedShare/60*5, f.rate(1, 2, 60, 1), 1e-6)
	require.InDelta(t, untouchedLeast, f.rate(1, 0, 60, 1), 1e-9, "it never stops")
	f.came = 1
	require.InDelta(t, 0.5, f.rate(1, 0, 60, 1), 1e-9, "it comes back")
}
