package pacer_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/ratelimittest"
)

// A request that costs more than what remains waits for the window's end. It waits a second more if more than half of the
// quota is used and nobody has seen an end yet. One that costs more than the quota waits only for a full window.
func TestWaitForAWindowsEnd(t *testing.T) {
	for _, row := range []struct {
		name       string
		left, cost int64
		wait       time.Duration
	}{
		{"enough", 5, 5, 0},
		{"too little for its cost", 5, 6, 31 * second},
		{"nothing", 0, 1, 31 * second},
		{"nothing, but it is free", 0, 0, 0},
		{"more than the quota, of a full window", 100, 300, 0},
		{"more than the quota", 99, 300, 30 * second},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.answer(d.send(0), says(100, minute, row.left, 30*second))
			d.wantWaitAs(pacer.Cost{Requests: row.cost}, row.wait)
		})
	}
}

// A client whose share of the remaining quota is less than one unit also waits for the window's end.
func TestShareOfWhatIsLeft(t *testing.T) {
	for _, row := range []struct {
		left int64
		want pacer.Cause
	}{{10, pacer.CausePace}, {3, pacer.CauseQuota}} {
		d := drive(t, even)
		d.beside(4, 100, row.left) // the share is a quarter
		require.Equal(t, row.want, d.plan().Cause, "%d left", row.left)
	}
}

// Each window begins at the end of the last one.
func TestWindowsFollowEachOther(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 10, 10*second))
	end := d.limit().LatestEnd
	require.Equal(t, start.Add(10*second), end)
	d.advance(10 * second)
	require.EqualValues(t, 10, d.limit().Remaining, "its last moment is part of it")
	d.advance(1)
	require.EqualValues(t, 60, d.limit().Remaining)
	require.Equal(t, end.Add(minute), d.limit().LatestEnd)
	d.send(1)
	require.EqualValues(t, 59, d.limit().Remaining)
	d.advance(100 * minute)
	require.EqualValues(t, 60, d.limit().Remaining)
	require.Equal(t, end.Add(101*minute), d.limit().LatestEnd)
}

// If w is not reported, the client sends a single request a second after the reset, to learn about the new window: perhaps
// not all of the quota comes back then.
func TestWindowThatIsOnlySeenIsProbed(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, unknown, 0, 10*second))
	d.wantWait(11 * second)
	d.advance(11 * second)
	d.wantWait(0)
	probe := d.send(1)
	d.wantWait(250 * time.Millisecond)
	d.answer(probe, says(60, unknown, 59, minute))
	require.Equal(t, minute, d.limit().Window)
}

// Each response bounds the window's end, and the client combines these bounds. As t is rounded up, and true
// at some time between sending and receipt, each bound is an interval. Two responses around the beginning
// of a window also bound it, to a tenth of a second.
func TestEndsAreIntervals(t *testing.T) {
	at := func(d *driver, sent, received, reset time.Duration, left int64) {
		d.now = start.Add(sent)
		ticket := d.send(1)
		d.now = start.Add(received)
		d.answer(ticket, says(60, minute, left, reset))
	}
	d := drive(t, even)
	at(d, 10*second, 10200*time.Millisecond, 5*second, 30)
	require.Equal(t, start.Add(15200*time.Millisecond), d.limit().LatestEnd, "the first round trip may have been a wait for a connection")
	at(d, 11500*time.Millisecond, 11600*time.Millisecond, 3*second, 29)
	require.Equal(t, start.Add(14500*time.Millisecond), d.limit().LatestEnd)

	d = drive(t, even)
	for left := range int64(6) {
		d.get(says(10, second, 9-left, second))
		d.advance(100 * time.Millisecond)
	}
	sent := d.now.Add(-100 * time.Millisecond)
	d.get(says(10, second, 9, second))
	require.Equal(t, sent.Add(1100*time.Millisecond), d.limit().LatestEnd)
	d.advance(second)
	require.EqualValues(t, 9, d.limit().Remaining)
	d.advance(1)
	require.EqualValues(t, 10, d.limit().Remaining)
}

// A reset that is far longer than the last ones is used only when it is reported twice. The reset of a
// refusal does not lengthen a window, as it may be a penalty.
func TestFarReset(t *testing.T) {
	for _, row := range []struct {
		name   string
		resets []time.Duration
		window time.Duration
	}{
		{"a mistake", []time.Duration{minute, day, minute, minute}, minute},
		{"reported again", []time.Duration{minute, day, day}, day},
		{"not that far", []time.Duration{minute, 9 * minute}, 9 * minute},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			for i, reset := range row.resets {
				d.get(says(60, unknown, 59-int64(i), reset))
			}
			require.Equal(t, row.window, d.limit().Window)
		})
	}
	d := drive(t, even)
	d.get(says(60, unknown, 59, minute))
	d.get(refuses(says(60, unknown, 0, hour), hour))
	require.LessOrEqual(t, d.limit().Window, 2*minute)
	require.GreaterOrEqual(t, d.wait(), hour, "but it is waited for")
}

// If q is not reported, the quota is the largest r so far.
func TestQuotaThatIsOnlySeen(t *testing.T) {
	d := drive(t, even)
	for _, left := range []int64{50, 59, 58} {
		d.get(says(unknown, minute, left, minute))
	}
	require.EqualValues(t, 59, d.limit().Quota)
}

// The client turns odd numbers into sane waits. Each row is one response, and the waits of the next two
// requests.
func TestOddNumbers(t *testing.T) {
	const (
		most    = 1<<63 - 1
		longest = time.Duration(most)
		least   = -1 << 63
	)
	for _, row := range []struct {
		name          string
		odd           limits.Reported
		first, second time.Duration
	}{
		{"t = 0", named("", 60, minute, 30, 0), 0, second},
		{"t = 0 and r = 0: a new window, whose beginning nobody has seen", named("", 60, minute, 0, 0), second, second},
		{"r > q: it counts as q", named("", 60, minute, 600, minute), 0, second},
		{"q = 0 of what was served: no limit", named("", 0, minute, 0, 30*second), 0, 0},
		{"q = 0, nothing else", named("", 0, unknown, unknown, unknown), 0, 0},
		{"q = 0 and r > 0", named("", 0, minute, 5, 30*second), 0, 0},
		{"w = 0: t is the window", named("", 60, 0, 30, 30*second), 0, second},
		{"w = 0 and t = 0: a second", named("", 60, 0, 30, 0), 0, second / 60},
		{"w < 0: t is the window", named("", 60, least, 30, 30*second), 0, second},
		{"t > w: not true", named("", 60, minute, 60, 2*minute), 0, second},
		{"r without t", named("", 60, minute, 30, unknown), 0, second},
		{"t without r", named("", 60, minute, unknown, 30*second), 0, second},
		{"t < 0", named("", 60, minute, 30, least), 0, second},
		{"r < 0", named("", 60, minute, least, 30*second), 0, second},
		{"q < 0: r is the quota", named("", least, minute, 30, 30*second), 0, second},
		{"nothing", named("", unknown, unknown, unknown, unknown), 0, 0},
		{"r and q at the bound", named("", most, minute, most, minute), 0, 0},
		{"t at the bound, r = 0: not true", named("", 60, minute, 0, longest), minute, minute},
		{"w at the bound", named("", 1, longest, 1, unknown), 0, 32 * day},
		{"all at the bound", named("", most, longest, most, longest), 0, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.answer(d.send(0), several(row.odd))
			require.InDelta(t, row.first.Seconds(), d.wait().Seconds(), 0.05*row.first.Seconds()+1e-6)
			d.send(1)
			require.InDelta(t, row.second.Seconds(), d.wait().Seconds(), 0.05*row.second.Seconds()+1e-6, fmt.Sprint(d.wait()))
		})
	}
}

// A clock that is set back delays requests by as much, and has no other effect.
func TestTimeGoesBackwards(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 60, minute))
	d.proceed()
	d.advance(-10 * second)
	d.wantWaitWithin(10*second, 12*second)
	d.answer(d.send(1), says(60, minute, 58, minute))
	d.wantWaitWithin(second, 13*second)
	d.advance(-30 * minute)
	require.LessOrEqual(t, d.wait(), 35*minute)
	d.proceed()
}

// Concurrent callers read the clock before they wait for the lock, so calls overtake each other, here a thousand times by
// 2 ms. That does not make the window's end seem earlier.
func TestCallsOvertakeEachOther(t *testing.T) {
	d := drive(t, even)
	d.get(says(1000, minute, 999, minute))
	ends := d.limit().LatestEnd
	free := pacer.Cost{}
	for range 1000 {
		var earlier, later pacer.Ticket
		require.True(t, d.p.Take(d.now.Add(2*time.Millisecond), &free, &later, new(pacer.Plan)))
		require.True(t, d.p.Take(d.now, &free, &earlier, new(pacer.Plan)))
		d.p.Cancel(d.now, &earlier)
		d.p.Cancel(d.now, &later)
		d.advance(4 * time.Millisecond)
	}
	require.Equal(t, ends, d.limit().LatestEnd)
}

// Responses that overtake each other make the client estimate costs a little too high. A bucket seems to get back what r did
// not fall by. In most of such crowds the window is still taken for a bucket at first: in 77 of 100.
func TestEstimateThatIsTooHighIsNoRefill(t *testing.T) {
	cost := pacer.Cost{Requests: 1, Others: &[pacer.MaxOthers]int64{10}}
	wrong := 0
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 1))
		d := drive(t, even)
		left := int64(5000)
		points := func() pacer.Answer {
			left -= 10
			return several(limits.Reported{Unit: "points", Quota: 5000, Remaining: left, Window: hour, Reset: hour - d.since().Truncate(second)})
		}
		d.get(points())
		d.get(points()) // its cost was not known in points
		for range 6 {
			tickets, answers := make([]pacer.Ticket, 8), make([]pacer.Answer, 8)
			for i := range tickets {
				tickets[i], answers[i] = d.sendAs(cost), points()
			}
			random.Shuffle(8, func(i, j int) { answers[i], answers[j] = answers[j], answers[i] })
			for _, i := range random.Perm(8) {
				d.answer(tickets[i], answers[i])
			}
			d.advance(second / 20)
		}
		for left > 3000 {
			d.advance(d.waitAs(cost))
			d.getAs(cost, points())
		}
		if d.limit().Refills {
			wrong++
		}
	}
	require.Zero(t, wrong)
}

// No server reports its algorithm. Perhaps it is a sliding counter, which has nothing at the end of the first window. So if
// more than half of the quota is used, the next request goes a second later than that end, or a tenth of a short window. It
// goes alone, and its response says how much has come back. The end of the next window is not doubted any more.
func TestFirstEndOfAWindowIsDoubted(t *testing.T) {
	for _, row := range []struct {
		name   string
		quota  int64
		window time.Duration
		late   time.Duration
	}{
		{"some", 30, minute, second},
		{"w is not reported", 30, unknown, second},
		{"few", 5, minute, second},
		{"many", 600, minute, second},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			for left := row.quota - 1; left >= 0; left-- {
				d.answer(d.proceed(), says(row.quota, row.window, left, (minute-d.since()+second-1).Truncate(second)))
			}
			require.InDelta(t, (minute + row.late).Seconds(), (d.since() + d.wait()).Seconds(), 0.1)
			d.advance(d.wait())
			first := d.send(1)
			d.wantWait(max(250*time.Millisecond, minute/time.Duration(row.quota)))
			d.answer(first, says(row.quota, row.window, row.quota-1, minute-row.late))
			d.answer(d.send(row.quota*3/5), says(row.quota, row.window, 0, minute-row.late))
			require.InDelta(t, (2 * minute).Seconds(), (d.since() + d.wait()).Seconds(), 0.1)
		})
	}
}

// A program that sends a request every two minutes measures nothing about a window of a minute. The client
// must not conclude that the window is two minutes, or a millisecond.
func TestSeldomRequestsSayLittleOfTheWindow(t *testing.T) {
	for name, server := range map[string]ratelimittest.Limiter{
		"window": &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Quota: 100, Window: minute}},
		"bucket": &ratelimittest.TokenBucket{Policy: ratelimittest.Policy{Quota: 100, Window: minute}},
	} {
		t.Run(name, func(t *testing.T) {
			d, serve := drive(t, even), of(server, countsAlone)
			for range 30 {
				require.Zero(t, d.wait())
				d.get(serve(d.now))
				d.advance(2 * minute)
			}
			require.InDelta(t, minute, d.p.State(d.now).Limits[0].Window, float64(minute)/5)
		})
	}
}

// If the server reports a quota without the remaining quota, the client guesses no window, as the server
// may count nothing.
func TestNothingIsGuessedOfAQuotaAlone(t *testing.T) {
	d := drive(t, even)
	d.get(says(100, unknown, unknown, unknown))
	require.EqualValues(t, unknown, d.p.State(d.now).Limits[0].Window)
}

// A client that waited for a window's end enters the next window evenly, as waiting earns no burst. It waits a second more
// for the first end, which nobody has seen yet.
func TestNoBurstAfterAnEnd(t *testing.T) {
	d := drive(t, pacer.Config{Jitter: -1})
	d.get(says(60, minute, 1, 30*second))
	d.get(says(60, minute, 0, 30*second))
	d.wantWait(31 * second)
	d.advance(31*second + time.Millisecond) // timers fire late
	d.wantWait(0)
	d.get(says(60, minute, 59, 59*second))
	d.wantWaitWithin(900*time.Millisecond, second)
}
