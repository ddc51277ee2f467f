package pacer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	second = time.Second
	minute = time.Minute
	day    = 24 * time.Hour
)

// The rate is what is left over what is left of the window: at least q/w, at most
// catchUp times q/w, and no more than the headers can mean at best, which is one
// unit more (r is rounded down) in a second less (t is rounded up).
func TestRateWithinAWindow(t *testing.T) {
	for _, row := range []struct {
		name      string
		remaining int64
		reset     time.Duration
		want      time.Duration // between requests, at 60 per minute
	}{
		{"even share left", 30, 30 * second, second},
		{"more left", 45, 30 * second, 30 * second / 45},
		{"far more left: catch up, twice as fast at most", 60, 10 * second, second / 2},
		{"less left: nominal while the headers allow it", 30, 31 * second, second},
		{"much less left: as fast as they allow at best", 9, 31 * second, 3 * second},
		{"nothing left", 0, 31 * second, 30 * second},
		{"ends at once: nominal", 10, 0, second},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.send(1)
			d.limitOf(60, minute, row.remaining, row.reset)
			d.wantGap(row.want)
		})
	}
}

// A small share makes no one wait past the window's end for what is left, and an
// interval of the next one.
func TestSmallShareWaitsForTheEndAtMost(t *testing.T) {
	d := drive(t, even)
	d.limitOf(60, minute, 3, 30*second)
	d.limit().share = shareOf(0.15)
	d.send(1)
	nominal := d.limit().interval()
	require.LessOrEqual(t, d.wait(1), 30*second+nominal)
	require.InDelta(t, 30, d.need().gap.Seconds(), 0.1)

	d.limit().share = shareOf(0.01)
	require.Equal(t, minute, d.need().gap, "one request per window is everybody's")
}

// limitOf makes the partition's only limit one that was told so in mid-window.
func (d *driver) limitOf(quota int64, window time.Duration, remaining int64, reset time.Duration) {
	d.t.Helper()
	ticket := d.p.Send(d.now, &Cost{Requests: 0}, d.u)
	d.answer(ticket, says(quota, window, remaining, reset))
	d.limit().share = share{} // what is gone is long gone
}

// Where w is not told, the longest reset seen stands for it. It can be longer, so
// that the nominal rate can be half as high.
func TestRateWithinAWindowThatIsOnlySeen(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, Unknown, 59, minute))
	d.limit().share = share{}
	d.advance(30 * second)
	d.get(says(60, Unknown, 10, 30*second))
	d.limit().share = share{}
	d.wantGap(2 * second)
}

func TestWindowRollsWithoutNews(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 59, 10*second))
	d.limit().share = share{}
	end := d.limit().end.hi

	d.advance(10 * second)
	d.p.Plan(d.now, 0, &Cost{Requests: 1})
	require.Equal(t, end, d.limit().end.hi, "the window includes its last moment")

	d.advance(time.Nanosecond)
	d.p.Plan(d.now, 0, &Cost{Requests: 1})
	require.Equal(t, end.Add(minute), d.limit().end.hi)
	require.Equal(t, int64(60), d.limit().left())
	require.Equal(t, end, d.limit().lastEnd().hi)

	d.advance(100 * minute)
	d.p.Plan(d.now, 0, &Cost{Requests: 1})
	require.Equal(t, end.Add(101*minute), d.limit().end.hi, "windows go on as they began")
}

// A window of a length that nobody told is asked about with a single request.
func TestWindowOnlySeenIsAskedAbout(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, Unknown, 0, 10*second))
	d.limit().share = share{}
	d.wantWait(10 * second)

	d.advance(10*second + 1)
	d.wantWait(0)
	d.send(1)
	require.Zero(t, d.limit().left())
	require.Less(t, d.wait(1), time.Second, "one at a time, or at a pace")
	require.Equal(t, Instant(0), d.limit().floor(d.now, 1, 0), "nothing waits for an end that nobody told")
}

// Who has waited for a window's end enters the next one at some point of the first
// interval, the later the more others use the quota. Asking again does not help.
func TestEntryAfterTheEnd(t *testing.T) {
	d := drive(t, even)
	d.u = 0.8
	d.get(says(60, minute, 0, 10*second))
	d.limit().share = share{own: 50, total: 100}
	l := d.limit()
	opens := l.opens(0)
	require.Greater(t, opens, l.end.hi)
	require.LessOrEqual(t, opens, l.end.hi.Add(l.interval()))

	d.wantWait(opens.Sub(d.now))
	d.advance(10*second + time.Millisecond)
	d.wantWait(opens.Sub(d.now))
	d.advance(opens.Sub(d.now))
	d.wantWait(0)

	l.share = share{own: 1, total: 1000}
	require.Equal(t, minute, min(l.interval(), minute), "a small share's interval is longer than the window")
	require.LessOrEqual(t, l.opens(0), l.end.hi.Add(minute))
}

// A client that waits for a window's end saves up nothing: the next one begins
// evenly, whatever Burst is.
func TestNeverABurstAtTheEnd(t *testing.T) {
	d := drive(t, Config{Jitter: -1})
	d.get(says(60, minute, 0, 30*second))
	d.limit().share = share{}
	d.wantWait(30 * second)
	d.advance(30*second + time.Millisecond) // timers are late
	d.wantWait(0)
	d.send(1)
	require.Greater(t, d.wait(1), 900*time.Millisecond)
}

// Later responses of the same window narrow down its end.
func TestEndIsWhereAllResponsesMeet(t *testing.T) {
	d := drive(t, even)
	ticket := d.send(1)
	d.advance(400 * time.Millisecond)
	d.answer(ticket, says(60, minute, 59, 30*second))
	from := d.now.Add(-400 * time.Millisecond)
	require.Equal(t, span{lo: from.Add(29 * second), hi: d.now.Add(30 * second)}, d.limit().end)

	d.advance(400 * time.Millisecond)
	d.get(says(60, minute, 58, 30*second))
	require.Equal(t, span{lo: from.Add(29*second + 800*time.Millisecond), hi: from.Add(30*second + 400*time.Millisecond)}, d.limit().end)

	d.advance(10 * second)
	d.get(says(60, minute, 57, 40*second))
	require.Equal(t, d.now.Add(40*second), d.limit().end.hi, "an end that excludes the old one replaces it")
}

// A window's end also lies within a window of the time at which the new one began,
// between two responses: so a window of one second is known to a tenth.
func TestWindowOfOneSecond(t *testing.T) {
	d := drive(t, even)
	d.get(says(10, second, 9, second))
	for range 5 {
		d.advance(100 * time.Millisecond)
		d.get(says(10, second, d.limit().remaining-1, second))
	}
	sent := d.now
	d.advance(100 * time.Millisecond)
	d.get(says(10, second, 9, second))
	require.Equal(t, span{lo: sent.Add(second), hi: d.now.Add(second)}, d.limit().end)
	require.False(t, d.limit().refill.proven())
}

// An answer that tells the policy alone is no news of what is left, and so not of
// when the window ends.
func TestPolicyAloneIsNoReading(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 30, 10*second))
	d.advance(9 * second)
	d.get(says(60, minute, 29, second))
	d.advance(second)
	end := d.now
	d.advance(100 * time.Millisecond)
	d.get(says(60, minute, Unknown, Unknown))
	require.Equal(t, int64(59), d.limit().left(), "of a window that nothing was told of")
	d.advance(100 * time.Millisecond)
	d.get(says(60, minute, 59, minute))
	next := d.limit().end
	require.Less(t, next.lo, end.Add(minute))
	require.GreaterOrEqual(t, next.hi, end.Add(minute))
}

// Where w is not told, it is the distance of two ends that were both seen to come.
func TestWindowIsMeasured(t *testing.T) {
	d := drive(t, even)
	for range 4 {
		for left := int64(5); left >= 0; left-- {
			d.get(says(6, Unknown, left, time.Duration(left+1)*10*second+2*second))
			d.advance(10 * second)
		}
	}
	require.Equal(t, minute, d.limit().window)
	require.Equal(t, measured, d.limit().windFrom)
}

// A refusal's reset can be a penalty's. It is waited for, but is no window: later
// ones show how long that is.
func TestFarResetIsNoWindow(t *testing.T) {
	const far = 50 * minute
	for _, row := range []struct {
		name   string
		before int
	}{
		{"first answer", 0},
		{"within the first window", 5},
		{"window measured", 250},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			served, window := int64(0), Instant(0)
			serve := func() Answer { // 100 per minute
				if w := d.now / Instant(minute); w != window {
					served, window = 0, w
				}
				served++
				return says(100, Unknown, 100-served, minute-time.Duration(d.now)%minute)
			}
			request := func(answer func() Answer) {
				for d.wait(1) > 0 {
					d.now = d.now.Add(d.wait(1))
				}
				ticket, a := d.p.Send(d.now, &Cost{Requests: 1}, d.u), answer()
				d.p.Answered(d.now, &ticket, &a, d.u)
				d.p.Release()
			}

			for range row.before {
				request(serve)
			}
			request(func() Answer { return refuses(says(100, Unknown, 0, far), Unknown) })
			refused := d.now
			require.GreaterOrEqual(t, d.wait(1), far)
			for range 1000 {
				request(serve)
			}
			require.Less(t, d.now.Sub(refused), far+12*minute)
		})
	}
}

// A far reset that was a mistake is forgotten with the next reading, whatever
// others have used since. Where t is how long r lasts, the end comes nearer by
// what r falls, and the window stays what it was.
func TestEndThatWasNoneIsForgotten(t *testing.T) {
	for _, row := range []struct {
		name      string
		quota     int64
		far       time.Duration
		remaining int64
		reset     time.Duration
		window    time.Duration
	}{
		{"nobody else", 60, day, 58, minute, minute},
		{"others use a third", 60, day, 38, minute, minute},
		{"others use more than half", 60, time.Hour, 25, minute, minute},
		{"small quota", 5, day, 3, minute, minute},
		{"t is how long r lasts", 60, minute, 10, 10 * second, minute},
		{"and r is rounded down", 10, minute, 3, 18 * second, minute},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(says(row.quota, Unknown, row.quota-1, row.far))
			d.advance(second / 10)
			d.get(says(row.quota, Unknown, row.remaining, row.reset))
			require.Equal(t, row.window, d.limit().window)
		})
	}
}

// One reset far beyond the window is not believed before the next answer says so, too.
func TestFarResetIsToldTwice(t *testing.T) {
	for _, row := range []struct {
		name   string
		next   time.Duration
		window time.Duration
	}{
		{"a mistake", minute, minute},
		{"the truth", day, day},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(says(60, Unknown, 59, minute))
			d.get(says(60, Unknown, 58, day))
			require.Equal(t, minute, d.limit().window)
			d.get(says(60, Unknown, 57, row.next))
			require.Equal(t, row.window, d.limit().window)
		})
	}
}

// A quota that was only seen is forgotten if it is not seen again, with all that was
// believed of the others who seemed to use it.
func TestQuotaOnlySeenFades(t *testing.T) {
	d := drive(t, even)
	d.get(says(Unknown, minute, 59, minute))
	d.get(says(Unknown, minute, 6000, minute))
	d.get(says(Unknown, minute, 58, minute))
	require.Less(t, d.limit().share.value(), 0.1)
	for _, quota := range []int64{6000, 59} {
		d.advance(minute + second)
		d.get(says(Unknown, minute, 59, minute))
		require.Equal(t, quota, d.limit().quota)
	}
	require.InDelta(t, 1, d.limit().share.value(), 0)
}
