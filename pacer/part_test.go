package pacer

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// apportion tells the client what those with whom it shares its quotas have agreed on.
func (d *driver) apportion(parts Parts) {
	d.t.Helper()
	d.logf("told %+v", parts)
	d.p.Apportion(d.now, &parts, d.u)
}

// agree tells it its part of a limit, for as long as a test lasts. It is one of two.
func (d *driver) agree(in Part) {
	d.t.Helper()
	d.apportion(Parts{Until: d.now.Add(day), Members: 2, Limits: []Part{in}})
}

// own is a part of the only limit: so many units of the window that is open and of each
// after it. It is all that there is to be had.
func (d *driver) own(units, next int64, share float64) Part {
	d.t.Helper()
	return Part{
		Policy: "default", Units: units, Next: next, End: d.limit().end.mid(), Share: share,
		Full: true, Remaining: Unknown,
	}
}

// agreed reports whether the only limit is paced by what was agreed on.
func (d *driver) agreed() bool {
	d.t.Helper()
	d.limit()
	return d.p.State(d.now).Limits[0].Agreed
}

// A window is a server's, as it is seen by a client that shares it with others.
type sharedWindow struct {
	quota, others int64 // of the quota, that others use as soon as it begins
	window        time.Duration
	begins        Instant
	own           int64
}

func (w *sharedWindow) answer(now Instant) Answer {
	for now >= w.begins.Add(w.window) {
		w.begins, w.own = w.begins.Add(w.window), 0
	}
	w.own++
	return says(w.quota, w.window, w.quota-w.others-w.own, w.begins.Add(w.window).Sub(now))
}

// spend sends as planned until the end of a window, and returns how many requests. What is
// planned for the next window may be planned for later once that has begun.
func (d *driver) spend(end Instant, send func()) (n int64) {
	d.t.Helper()
	for {
		switch wait := d.wait(1); {
		case d.now.Add(wait) >= end:
			return n
		case wait > 0:
			d.advance(wait)
		default:
			send()
			n++
		}
	}
}

// A part bounds what is sent of a window, what was sent before it was told included, and
// of each window after that until the next one is told.
func TestPartOfAWindow(t *testing.T) {
	for _, row := range []struct {
		name        string
		units, next int64
		others      int64
		first, then int64 // that are sent in the first window and in those after it
	}{
		{"less than even", 10, 5, 0, 10, 5},
		{"less and then more", 5, 40, 0, 5, 40},
		{"all of it", 60, 60, 0, 60, 60},
		{"others leave less of it", 40, 40, 50, 10, 10},
		{"others leave as much", 30, 30, 30, 30, 30},
		{"as much as was sent already", 1, 30, 0, 1, 30},
		{"less than was sent already", 0, 30, 0, 1, 30},
		{"nothing of others", 1, 0, 0, 1, 0},
		{"less than nothing", -5, -7, 0, 1, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			w := &sharedWindow{quota: 60, others: row.others, window: minute, begins: d.now}
			d.get(w.answer(d.now))
			d.agree(d.own(row.units, row.next, 0.5))
			get := func() { d.get(w.answer(d.now)) }
			end := d.now.Add(minute)
			require.Equal(t, row.first, 1+d.spend(end, get))
			for range 3 {
				end = end.Add(minute)
				require.Equal(t, row.then, d.spend(end, get))
			}
		})
	}
}

// It bounds as well what is sent of windows that begin by the clock alone.
func TestPartOfAWindowWithoutAnswers(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 59, minute))
	d.agree(d.own(10, 7, 0.5))
	end := d.now.Add(minute)
	require.Equal(t, int64(9), d.spend(end, func() { d.send(1) }))
	require.Equal(t, int64(7), d.spend(end.Add(minute), func() { d.send(1) }))
	require.Equal(t, int64(7), d.spend(end.Add(2*minute), func() { d.send(1) }))
}

// A client whose part is of a window before the one that it knows has Next of this. Where others are
// in the window after it already, nothing of the one it knows is left to it.
func TestPartOfAnotherWindow(t *testing.T) {
	for _, row := range []struct {
		name string
		ends time.Duration // after the end of the window that is known
		want int64
	}{
		{"the same", 0, 20},
		{"the same, as clocks differ", 20 * second, 20},
		{"the same, as clocks differ to the other side", -20 * second, 20},
		{"the next", minute, 0},
		{"the last", -minute, 10},
		{"none", -time.Hour, 10},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(says(60, minute, 59, minute))
			part := d.own(20, 10, 0.5)
			part.End = part.End.Add(row.ends)
			d.agree(part)
			require.Equal(t, row.want, d.limit().allotted())
			require.Equal(t, max(0, row.want-1), d.limit().mineOf(d.limit().left()))
			require.Equal(t, row.want, d.p.Usage(d.now).Limits[0].Units)
		})
	}
}

// What is left of the part is spread over what is left of the window, but not at more than
// twice the rate of the whole quota.
func TestPartIsSpreadOverTheWindow(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 59, minute))
	d.agree(d.own(10, 10, 0.5))
	d.wantGapFor(9, minute)
	d.advance(30 * second)
	d.wantGapFor(9, 30*second)
	d.get(says(60, minute, 30, 30*second)) // what others use is no reason to slow down
	d.wantGapFor(8, 30*second)
	d.advance(29*second - 1)
	d.wantGap(second / 2)
	d.agree(d.own(50, 50, 0.5))
	d.wantGap(second / 2)
}

// A request that costs more than the part goes when nothing of this is used yet: no later
// window would have more of it.
func TestCostAboveThePart(t *testing.T) {
	d := drive(t, even)
	d.get(says(100, minute, 99, minute))
	d.agree(d.own(13, 12, 0.125))
	d.wantWaitOf(12, 0)
	require.Greater(t, d.wait(20), 30*second, "one is used already")
	d.advance(d.wait(20))
	d.advance(d.wait(20)) // into the window, and to the next slot
	d.wantWaitOf(20, 0)
	d.send(20)
	require.Greater(t, d.wait(1), 30*second, "all of the part, and more")
}

// What is left of a window that begins by the clock, and nobody said how long one is, only an answer
// can tell. One request asks, whatever it costs.
func TestPartOfAWindowThatHasToBeAskedFor(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, Unknown, 59, minute))
	d.agree(d.own(30, 30, 0.5))
	d.advance(2 * minute)
	d.advance(d.wait(5))
	d.wantWaitOf(5, 0)
	d.send(5)
	require.Positive(t, d.wait(5), "one at a time")
}

// wantGapFor wants so many units to be spread over what is left of the window, which is
// known to the second.
func (d *driver) wantGapFor(units, left time.Duration) {
	d.t.Helper()
	require.LessOrEqual(d.t, d.need().gap, left/units+1)
	require.GreaterOrEqual(d.t, d.need().gap, (left-second)/units-1)
}

// Of a limit that refills, the part is one of its pace, whatever that is, down to less
// than one request per window. But nobody waits for more than a window, or twice as long as its part
// says, if that is more.
func TestPartOfARefillingLimit(t *testing.T) {
	for _, row := range []struct {
		name   string
		set    func(l *limit)
		factor float64
	}{
		{"untouched", func(*limit) {}, 1},
		{"nearly empty and untouched", func(l *limit) { l.remaining = 1 }, 1},
		{"some has come back", func(l *limit) { l.refill.came = 5 }, 1},
		{"all has come back once", func(l *limit) { l.refill.came = 100 }, 1},
		{"nearly empty", func(l *limit) { l.refill.came, l.remaining = 5, 1 }, 1},
		{"strained for the sake of others, of whom it now knows", func(l *limit) { l.refill.strain = 8 }, 8},
	} {
		t.Run(row.name, func(t *testing.T) {
			for _, share := range []float64{1, 0.25, 0.01, 1e-5} {
				d := drive(t, even)
				d.get(says(60, minute, 59, minute))
				l := d.limit()
				l.refill.prove()
				row.set(l)
				alone := 1 / l.rate(d.now)
				d.apportion(Parts{Until: Never, Members: int(math.Round(1 / share)), Limits: []Part{d.own(0, 0, share)}})
				most := max(float64(minute), 2*float64(second)/share)
				require.InEpsilon(t, min(alone/share/row.factor, most), float64(l.gap(d.now)), 1e-6)
				d.send(1)
				require.InEpsilon(t, float64(l.gap(d.now)), float64(d.wait(1)), 1e-6)
			}
		})
	}
}

// What is left of a limit that refills, and others use, is no reason to slow down. A refusal
// is, until the client has eased again; but what others were thought to use is not.
func TestStrainOfAPart(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 59, minute))
	d.limit().refill.prove()
	d.agree(d.own(0, 0, 0.5))
	for range 100 {
		d.advance(2 * second)
		d.get(says(60, minute, 1, minute))
	}
	require.InDelta(t, 1, d.limit().refill.slowdown(), 0)
	d.get(refuses(says(60, minute, 0, minute), second))
	require.InDelta(t, strainRefused, d.limit().refill.slowdown(), 1e-6)
	for range 100 {
		d.advance(2 * second)
		d.get(says(60, minute, 1, minute))
	}
	require.InDelta(t, 1, d.limit().refill.slowdown(), 0.01)
}

// All that share a quota may come at once, so each has its part of an idle client's credit: an
// even one at least, however little it needs, but not more than are left.
func TestCreditOfAPart(t *testing.T) {
	d := drive(t, Config{})
	d.get(says(1000, minute, 999, minute))
	require.InDelta(t, 100, d.limit().credit(d.p.cfg), 1e-3)
	d.agree(d.own(700, 700, 0.7))
	require.InDelta(t, 70, d.limit().credit(d.p.cfg), 1e-3)
	d.agree(d.own(100, 100, 0.1))
	require.InDelta(t, 50, d.limit().credit(d.p.cfg), 1e-3)
	d.agree(d.own(21, 500, 0.5))
	require.InDelta(t, 19, d.limit().credit(d.p.cfg), 1e-3, "one less than is left of it")
	d.limit().refill.prove()
	require.InDelta(t, 50, d.limit().credit(d.p.cfg), 1e-3)
}
