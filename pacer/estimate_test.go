package pacer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// tokens is a success that tells of a limit of 60,000 tokens per minute.
func tokens(remaining int64) Answer {
	a := says(60_000, minute, remaining, minute)
	a.Limits[0].Unit = "tokens"
	return a
}

// use sends a request that its caller says costs n tokens, negative if it does not say.
func (d *driver) use(n int64) Ticket {
	d.t.Helper()
	ticket := d.p.Send(d.now, &Cost{Requests: 1, Others: &[MaxOthers]int64{n}}, d.u)
	d.logf("use %d tokens, charged %d", n, ticket.few[0].cost)
	return ticket
}

// Costs that nobody tells are the average by which r falls, and some room.
func TestCostsAreLearned(t *testing.T) {
	d := drive(t, even)
	d.answer(d.use(-1), tokens(59_000))
	require.Equal(t, []string{"tokens"}, d.p.Units())
	first := d.use(-1)
	require.Zero(t, first.few[0].cost, "nothing is known yet")
	require.Equal(t, trickle, d.wait(1), "so one goes at a time")
	d.answer(first, tokens(58_500))
	left := int64(58_500)
	for range 100 {
		ticket := d.use(-1)
		require.InDelta(t, guessRoom*500, ticket.few[0].cost, 1)
		left -= 500
		d.answer(ticket, tokens(left))
	}
}

// What was charged too much is owed no longer once r tells: the next request waits
// for what the last one used, whatever was estimated.
func TestEstimatesAreSettled(t *testing.T) {
	for _, row := range []struct {
		name              string
		estimate, settled int64
		wait              time.Duration // of the request after it
	}{
		{"too high", 3000, 1000, second},
		{"right", 1000, 1000, second},
		{"too low: no refund, the next one is charged more", 500, 1000, second / 2},
		{"free after all", 3000, 0, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.answer(d.use(0), tokens(60_000))
			d.advance(second)
			ticket := d.use(row.estimate)
			require.InDelta(t, float64(row.estimate)/1000, d.wait(1).Seconds(), 0.2, "before the answer")
			d.answer(ticket, tokens(60_000-row.settled))
			require.InDelta(t, row.wait.Seconds(), d.wait(1).Seconds(), 0.2)
		})
	}
}

// Estimates that are too low again and again are corrected by their ratio to what is
// spent; those that are too high are the caller's affair.
func TestRatioOfEstimates(t *testing.T) {
	for _, row := range []struct{ estimate, spent, charged int64 }{
		{500, 1000, 1000},
		{1000, 1000, 1000},
		{3000, 1000, 3000},
	} {
		d := drive(t, even)
		left := int64(60_000)
		d.answer(d.use(row.estimate), tokens(left))
		for range 40 {
			left -= row.spent
			d.answer(d.use(row.estimate), tokens(left))
		}
		last := d.use(row.estimate)
		require.InDelta(t, row.charged, last.few[0].cost, 20)
	}
}

// A request that costs less than is left goes, whatever others usually cost.
func TestSmallCostsFitIntoWhatIsLeft(t *testing.T) {
	d := drive(t, even)
	left := int64(60_000)
	for range 7 {
		d.answer(d.use(8000), tokens(left))
		left -= 8000
	}
	require.Positive(t, d.limit().estimate.usual)
	d.answer(d.use(8000), tokens(4000))
	d.advance(20 * second)
	floor := func(cost int64) Instant { return d.limit().floor(d.now, cost, 0) }
	require.Zero(t, floor(10))
	require.Greater(t, floor(5000), d.now.Add(30*second), "the next window")
}

// Where what comes back is misjudged, because the server misreports its resets, what
// requests are thought to cost has a bound.
func TestCostsDoNotFeedOnThemselves(t *testing.T) {
	d := drive(t, even)
	left := int64(60_000)
	d.answer(d.use(-1), tokens(left))
	l := d.limit()
	l.refill.prove()
	for range 100 {
		d.advance(d.wait(1) + second)
		if left -= 100; left < 1000 {
			left = 60_000
		}
		d.answer(d.use(-1), tokens(left))
	}
	require.Less(t, l.estimate.usual, 3000.0)
}

// What those ahead cost in tokens is not known: they are not all thought to cost what
// the last ones did, but limits on requests do tell when a turn comes.
func TestThoseAheadMayCostLess(t *testing.T) {
	d := drive(t, even)
	left := int64(60_000)
	for range 4 {
		d.answer(d.use(5000), tokens(left))
		left -= 5000
	}
	plan := func() time.Duration {
		return d.p.Plan(d.now, 500, &Cost{Requests: 1, Others: &[MaxOthers]int64{100}}).At.Sub(d.now)
	}
	require.Less(t, plan(), minute)
	told := tokens(left)
	told.Limits = append(told.Limits, named("requests", 60, minute, 60, minute))
	d.answer(d.use(5000), told)
	require.InDelta(t, 500, plan().Seconds(), 60)
}

// Units are bounded; limits in one too many are not paced, and break nothing.
func TestUnitsAreBounded(t *testing.T) {
	d := drive(t, even)
	for _, unit := range []string{"", requests, "a", "b", ContentBytes, "c", "d"} {
		a := says(60, minute, 0, minute)
		a.Limits[0].Unit, a.Limits[0].Policy = unit, "of "+unit
		d.get(a)
	}
	require.Equal(t, []string{"a", "b", ContentBytes}, d.p.Units())
	units := make(map[string]string)
	for _, l := range d.p.State(d.now).Limits {
		units[l.Policy] = l.Unit
	}
	require.Equal(t, map[string]string{"of ": requests, "of requests": requests, "of a": "a", "of b": "b", "of content-bytes": ContentBytes}, units)
}

// Bytes of a response count against what is left until an answer tells, and as many
// are expected of the next one, so that requests which have little themselves are not
// let go all at once.
func TestTransferred(t *testing.T) {
	d := drive(t, even)
	ticket := d.send(1)
	require.Zero(t, d.p.ByteLimits(&ticket))
	d.p.Transferred(0, 1000)
	a := says(60_000, minute, 50_000, minute)
	a.Limits[0].Unit = ContentBytes
	d.answer(ticket, a)
	limits := d.p.ByteLimits(&ticket)
	require.Equal(t, d.p.live, limits, "of which it has told itself")
	left := func() int64 { return d.p.State(d.now).Limits[0].Remaining }
	d.p.Transferred(limits, 1000)
	require.EqualValues(t, 49_000, left())
	d.use(-1)
	require.EqualValues(t, 48_000, left(), "as many are expected of one that tells no cost")
	d.use(10)
	require.EqualValues(t, 46_990, left(), "and besides what it costs itself")
	d.p.Transferred(limits, 3000)
	require.EqualValues(t, 43_990, left())
	d.p.Transferred(limits, -5)
	require.EqualValues(t, 43_990, left())
	d.p.Transferred(limits, most)
	require.Zero(t, left())
}

// A refusal of a request that costs more than is left is explained by that.
func TestTooLittleIsLeftForACostlyRequest(t *testing.T) {
	d := drive(t, even)
	d.answer(d.use(1000), tokens(5000))
	for range trialDoubts + 1 {
		d.answer(d.use(9000), refuses(tokens(5000), Unknown))
	}
	require.Zero(t, d.p.trial.unexplained)
	require.Greater(t, d.p.Plan(d.now, 0, &Cost{Others: &[MaxOthers]int64{9000}}).At, d.now.Add(50*second), "it needs the next window")
}

// Where r never falls requests cost next to nothing, as little as is rounded away: they
// need not be asked for one by one.
func TestCostsThatNeverShow(t *testing.T) {
	d := drive(t, even)
	tokens := func(remaining int64) Answer {
		return Answer{RetryAfter: Unknown, Limits: []Limit{{Unit: "tokens", Quota: 400_000, Window: Unknown, Remaining: remaining, Reset: second}}}
	}
	d.get(tokens(400_000))
	cost := &Cost{Requests: 1}
	for range freeProof {
		require.True(t, d.limit().costUnknown(cost))
		d.get(tokens(400_000))
	}
	require.False(t, d.limit().costUnknown(cost))
	for range 2 {
		d.get(tokens(300_000))
	}
	require.Positive(t, d.limit().estimate.usual, "once it falls, it is learned")
}
