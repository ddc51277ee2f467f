package pacer_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// left returns how many units of the only limit the client counts as left.
func (d *driver) left() int64 {
	d.t.Helper()
	return d.limit().Remaining
}

// charge sends a request with the given cost, and returns how many units it was charged.
func (d *driver) charge(cost pacer.Cost) (ticket pacer.Ticket, n int64) {
	d.t.Helper()
	before := d.left()
	ticket = d.sendAs(cost)
	return ticket, before - d.left()
}

// A request without a given cost is charged twice the average by which r falls, as costs vary. Until the
// first cost is known, one request is sent at a time.
func TestCostsAreLearned(t *testing.T) {
	d := drive(t, even)
	d.getAs(using(-1), tokens(59_000))
	require.Equal(t, []limits.Unit{"tokens"}, d.p.Units())
	first, n := d.charge(using(-1))
	require.Zero(t, n)
	d.wantWait(trickle)
	d.answer(first, tokens(58_500))
	for left := int64(58_000); left > 40_000; left -= 500 {
		ticket, n := d.charge(using(-1))
		require.InDelta(t, 1000, n, 1)
		d.answer(ticket, tokens(left))
	}
}

// A server that tells what a request has cost corrects its charge at once, and the next one is charged twice the average of
// what was told. Nothing is inferred from r, which falls by what others use, too. A refused request has cost nothing.
func TestToldCosts(t *testing.T) {
	d := drive(t, even)
	telling := func(left, cost int64) pacer.Answer {
		a := tokens(left)
		a.Limits[0].Cost = cost
		return a
	}
	d.getAs(using(-1), telling(59_000, 1000))
	first, n := d.charge(using(-1))
	require.EqualValues(t, 2000, n)
	second, n := d.charge(using(-1))
	require.EqualValues(t, 2000, n)
	d.answer(second, telling(50_000, 3000))
	require.EqualValues(t, 50_000, d.left())
	d.answer(first, telling(52_000, 500))
	require.EqualValues(t, 50_000, d.left(), "what remains is of the later request")
	third, n := d.charge(using(-1))
	require.EqualValues(t, 3000, n, "twice 4500/3")
	refused := telling(50_000, 9000)
	refused.Refused = true
	d.answer(third, refused)
	_, n = d.charge(using(-1))
	require.EqualValues(t, 3000, n)
	_, n = d.charge(using(100))
	require.EqualValues(t, 100, n, "the caller's estimates were not too low")
}

// A request may use more than one unit of a limit on requests. Those sent after it have then used as many more.
func TestToldCostInRequests(t *testing.T) {
	d := drive(t, even)
	telling := func(left, cost int64) pacer.Answer {
		a := says(60, minute, left, minute)
		a.Limits[0].Cost = cost
		return a
	}
	d.get(telling(59, 1))
	first, second := d.send(1), d.send(1)
	require.EqualValues(t, 57, d.left())
	d.answer(first, telling(54, 5))
	require.EqualValues(t, 53, d.left())
	d.answer(second, telling(49, 5))
	require.EqualValues(t, 49, d.left())
	d.send(1)
	require.EqualValues(t, 48, d.left())
}

// A new r corrects an estimate that was too high: the next request waits only for the units that the last
// one used.
func TestEstimatesAreSettled(t *testing.T) {
	for _, row := range []struct {
		name              string
		estimate, settled int64
		wait              time.Duration // of the next request
	}{
		{"too high", 3000, 1000, second},
		{"right", 1000, 1000, second},
		{"too low: no refund, the next one is charged more", 500, 1000, second / 2},
		{"free after all", 3000, 0, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.getAs(using(0), tokens(60_000))
			d.advance(second)
			ticket := d.sendAs(using(row.estimate))
			require.InDelta(t, float64(row.estimate)/1000, d.wait().Seconds(), 0.2, "before the answer")
			d.answer(ticket, tokens(60_000-row.settled))
			require.InDelta(t, row.wait.Seconds(), d.wait().Seconds(), 0.2)
		})
	}
}

// The number of units is bounded. Limits in further units are not paced, and do no harm.
func TestUnitsAreBounded(t *testing.T) {
	d := drive(t, even)
	for _, unit := range []limits.Unit{"", "requests", "a", "b", limits.ContentBytes, "c", "d"} {
		a := says(60, minute, 0, minute)
		a.Limits[0].Unit, a.Limits[0].Policy = unit, "of "+string(unit)
		d.get(a)
	}
	require.Equal(t, []limits.Unit{"a", "b", limits.ContentBytes}, d.p.Units())
	units := make(map[string]limits.Unit)
	for _, l := range d.state().Limits {
		units[l.Policy] = l.Unit
	}
	require.Equal(t, map[string]limits.Unit{
		"of ": "requests", "of requests": "requests", "of a": "a", "of b": "b", "of content-bytes": "content-bytes",
	}, units)
}

// The bytes of a response are charged until a response reports the remaining quota. The next response is
// expected to be as long, so that small requests are not all sent at once.
func TestTransferred(t *testing.T) {
	d := drive(t, even)
	ticket := d.send(1)
	require.Zero(t, d.p.ByteLimits(&ticket))
	d.p.Transferred(0, 1000)
	a := says(60_000, minute, 50_000, minute)
	a.Limits[0].Unit = limits.ContentBytes
	d.answer(ticket, a)
	limits := d.p.ByteLimits(&ticket)
	require.NotZero(t, limits, "of which it has reported itself")
	for _, step := range []struct {
		bytes int64
		left  int64
	}{{1000, 49_000}, {3000, 46_000}, {-5, 46_000}} {
		d.p.Transferred(limits, step.bytes)
		require.Equal(t, step.left, d.left())
	}
	_, unreported := d.charge(using(-1))
	_, reported := d.charge(using(10))
	require.Positive(t, unreported, "as many are expected of one that tells no cost")
	require.Equal(t, unreported+10, reported, "and besides what it costs itself")
	d.p.Transferred(limits, math.MaxInt64)
	require.Zero(t, d.left())
}

// If r never falls, requests cost less than rounding shows. After a few responses they are no longer sent
// one at a time, until r falls.
func TestCostsThatNeverShow(t *testing.T) {
	d := drive(t, even)
	reporting := func(remaining int64) pacer.Answer {
		return several(limits.Reported{Unit: "tokens", Quota: 400_000, Window: unknown, Remaining: remaining, Reset: second})
	}
	oneAtATime := func() bool {
		ticket := d.send(1)
		defer d.p.Cancel(d.now, &ticket)
		return d.wait() > 0
	}
	d.get(reporting(400_000))
	for range 4 {
		require.True(t, oneAtATime())
		d.get(reporting(400_000))
	}
	require.False(t, oneAtATime())
	for range 2 {
		d.get(reporting(300_000))
	}
	_, n := d.charge(one)
	require.Positive(t, n)
}

// After Forget units keep their indices, so costs that callers have computed stay valid.
func TestForgetKeepsUnits(t *testing.T) {
	d := drive(t, even)
	d.get(tokens(59_000))
	want := d.p.Units()
	require.NotEmpty(t, want)
	d.p.Forget()
	require.Equal(t, want, d.p.Units())
}
