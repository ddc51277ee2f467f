package pacer_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
)

// idled returns a client of 100 per minute at the beginning of a full window after a long idle time.
func idled(t *testing.T, cfg pacer.Config) *driver {
	t.Helper()
	d := drive(t, cfg)
	d.get(says(100, minute, 99, minute))
	d.get(says(100, minute, 98, minute))
	d.advance(10*minute + 1)
	return d
}

// After an idle time ten requests of 100 per minute go at once, and from then on one every 0.6 s.
func TestIdleCredit(t *testing.T) {
	d := idled(t, pacer.Config{Jitter: -1})
	require.Equal(t, 10, d.burst())
	d.proceed()
	for range 3 {
		d.wantWaitWithin(590*time.Millisecond, 660*time.Millisecond)
		d.proceed()
	}
	d.advance(6 * second)
	require.InDelta(t, 10, d.burst(), 1, "six seconds are ten intervals")
}

// The part of a quota that goes at once after an idle time depends on Burst.
func TestBurst(t *testing.T) {
	for _, row := range []struct {
		name  string
		burst float64
		quota int64
		want  int
	}{
		{"a tenth", 0, 1000, 98},
		{"ten of a small quota", 0, 60, 10},
		{"a quarter of a smaller one", 0, 20, 5},
		{"a tenth, chosen", pacer.DefaultBurst, 1000, 98},
		{"ten, chosen", pacer.DefaultBurst, 60, 10},
		{"as chosen, but for the pace that falls meanwhile", 0.5, 1000, 400},
		{"less than one is one", 0.001, 60, 1},
		{"negative: one at a time", -1, 1000, 1},
		{"no number: one at a time", math.NaN(), 1000, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, pacer.Config{Burst: row.burst, Jitter: -1})
			d.get(says(row.quota, minute, row.quota-1, minute))
			d.get(says(row.quota, minute, row.quota-2, minute))
			d.advance(10*minute + 1)
			require.InDelta(t, row.want, d.burst(), max(1, 0.02*float64(row.want)))
		})
	}
	d := drive(t, pacer.Config{Jitter: -1})
	d.get(says(1000, minute, 12, 30*second))
	d.get(says(1000, minute, 11, 30*second))
	require.InDelta(t, 8, d.burst(), 2, "and no more than are left")
}

// A new client may send one request after the first report of a limit, and its burst after the second, if
// that shows no other clients.
func TestFirstCredit(t *testing.T) {
	for _, row := range []struct {
		name   string
		second int64 // r of the second response, of 100
		want   int
	}{{"alone", 98, 10}, {"beside others", 60, 1}} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, pacer.Config{Jitter: -1})
			d.get(says(100, minute, 99, minute))
			require.Equal(t, 1, d.burst())
			d.answer(d.send(1), says(100, minute, row.second, minute))
			require.InDelta(t, row.want, d.burst(), 2)
			d.get(says(100, minute, row.second-20, minute))
			require.Zero(t, d.burst(), "once")
		})
	}
}

// A success during a hold allows no burst, because clients come back at random times after it.
func TestNoCreditDuringAHold(t *testing.T) {
	d := drive(t, pacer.Config{Jitter: -1})
	d.u = 0.9
	a, b, c := d.send(1), d.send(1), d.send(1)
	d.answer(a, refuses(ok(), 10*second))
	d.answer(b, says(600, minute, 599, minute))
	d.answer(c, says(600, minute, 598, minute))
	require.GreaterOrEqual(t, d.wait(), 10900*time.Millisecond)
}

// Jitter moves slots by a part of an interval, earlier or later.
func TestJitter(t *testing.T) {
	for _, row := range []struct {
		name      string
		jitter, u float64
		want      float64 // of an interval of 6 s
	}{
		{"a tenth earlier", 0, 0, 5.4},
		{"in the middle", 0, 0.5, 6},
		{"a little later", 0, 0.75, 6.3},
		{"as chosen", 0.5, 0, 3},
		{"more than one is one", 7, 0, 0},
		{"infinite is one", math.Inf(1), 0, 0},
		{"none", -1, 0, 6},
		{"no number: none", math.NaN(), 0, 6},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, pacer.Config{Burst: -1, Jitter: row.jitter})
			d.get(says(10, minute, 10, minute))
			d.u = row.u
			d.send(1)
			require.InDelta(t, row.want, d.wait().Seconds(), 1e-6)
		})
	}
}

// No pace is faster than MaxRate, whatever r is.
func TestMaxRate(t *testing.T) {
	d := drive(t, pacer.Config{Burst: -1, Jitter: -1, MaxRate: 5})
	d.get(says(1_000_000, minute, 999_999, minute))
	d.wantWait(200 * time.Millisecond)
}

// The wait after a request is proportional to the request's cost.
func TestCostCountsSoManyTimes(t *testing.T) {
	for cost, want := range map[int64]time.Duration{0: 0, 1: 600 * time.Millisecond, 5: 3 * second, -7: 600 * time.Millisecond} {
		d := idled(t, even)
		d.advance(second)
		d.send(cost)
		require.InDelta(t, want.Seconds(), d.wait().Seconds(), 0.02*want.Seconds(), "cost %d", cost)
		require.Equal(t, 100-max(cost, -cost/7), d.limit().Remaining)
	}
}

// Every client may send one request per window, however small its share.
func TestOneRequestPerWindowIsEverybodys(t *testing.T) {
	d := drive(t, even)
	d.beside(49, 100, 0)
	require.Less(t, d.limit().Share, 0.06)
	for range 5 {
		before := d.now
		d.proceed()
		require.LessOrEqual(t, d.now.Sub(before), minute+4*second)
	}
}

// With several limits the slowest pace and the latest end of a window count. That of the day is here a second
// later than its reset, as nobody has seen it. Each limit has a burst of its own, and the shortest one is used up first.
func TestSeveralPolicies(t *testing.T) {
	d := drive(t, even)
	d.get(several(named("burst", 10, second, 10, second), named("day", 8640, day, 8640, day)))
	d.send(1)
	d.wantWait(10 * second)
	require.Equal(t, "day", d.plan().Policy)
	d = drive(t, even)
	d.get(several(named("burst", 10, second, 0, second), named("day", 8640, day, 0, minute)))
	d.wantWait(minute + second)

	d = drive(t, pacer.Config{Burst: 0.11, Jitter: -1}) // without the least burst of the default
	for n := range int64(2) {
		d.get(several(named("second", 20, second, 19-n, second), named("hour", 36_000, hour, 35_999-n, hour)))
	}
	d.advance(minute)
	require.InDelta(t, 2, d.burst(), 1)
	d.wantWaitWithin(1*time.Millisecond, 55*time.Millisecond)
}

// Cancel gives back units, slot and place, whatever happened after the request.
func TestCancel(t *testing.T) {
	for _, row := range []struct {
		name         string
		before, cost int64
	}{{"same cost", 1, 1}, {"costly after cheap", 1, 7}, {"cheap after costly", 7, 1}, {"free", 3, 0}} {
		t.Run(row.name, func(t *testing.T) {
			d := idled(t, pacer.Config{Burst: 0.1, Jitter: -1})
			d.send(row.before)
			wait, left := d.wait(), d.limit().Remaining
			ticket := d.send(row.cost)
			d.p.Cancel(d.now, &ticket)
			require.Equal(t, wait, d.wait())
			require.Equal(t, left, d.limit().Remaining)
			require.EqualValues(t, 1, d.p.InFlight())
		})
	}
	for _, row := range []struct {
		name   string
		cancel func(d *driver, older, younger pacer.Ticket)
	}{
		{"then the younger is answered", func(d *driver, older, younger pacer.Ticket) {
			d.p.Cancel(d.now, &older)
			d.answer(younger, says(100, minute, 70, minute))
		}},
		{"after the younger was answered", func(d *driver, older, younger pacer.Ticket) {
			d.answer(younger, says(100, minute, 70, minute))
			d.p.Cancel(d.now, &older)
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := idled(t, even)
			row.cancel(d, d.send(30), d.send(1))
			require.EqualValues(t, 70, d.limit().Remaining)
			d.send(1)
			require.EqualValues(t, 69, d.limit().Remaining)
		})
	}
}

// With Measured, 1 − 1/e of the quota goes at once after an idle window, because the pace falls with the
// remaining quota. The client has seen that a window ends: before that only one request at a time goes beyond half of it.
func TestMeasured(t *testing.T) {
	d := idled(t, pacer.Config{Measured: true})
	d.get(says(100, minute, 99, minute))
	d.advance(10 * minute)
	n := d.burst()
	require.InDelta(t, 63, n, 2)
	d.wantWaitWithin(time.Millisecond, 1800*time.Millisecond)
	d.advance(minute)
	d.get(says(100, minute, 99, minute))
	require.Greater(t, d.burst(), 20, "it has faded")
}
