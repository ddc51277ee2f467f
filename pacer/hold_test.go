package pacer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// held is how long the hold is still on.
func (d *driver) held() time.Duration { return max(0, d.p.State(d.now).HeldUntil.Sub(d.now)) }

func (d *driver) wantHeld(want time.Duration) {
	d.t.Helper()
	d.logf("held for %v", d.held())
	require.Equal(d.t, want, d.held())
	require.GreaterOrEqual(d.t, d.wait(1), want, "a plan is never before the hold's end")
}

func TestHoldLasts(t *testing.T) {
	for _, row := range []struct {
		name   string
		answer Answer
		want   time.Duration
	}{
		{"Retry-After", refuses(clear200(), 7*second), 7 * second},
		{"Retry-After before a reset", refuses(says(60, minute, 0, 30*second), 7*second), 7 * second},
		{"Retry-After with units left: a push-back", refuses(says(60, minute, 9, 30*second), 7*second), 7 * second},
		{"reset of a limit that is used up", refuses(says(60, minute, 0, 30*second), Unknown), 30 * second},
		{"reset of a limit with units left: not that", refuses(says(600, minute, 9, 30*second), Unknown), firstBackoff},
		{"nothing told: backoff", bare429(), firstBackoff},
		{"at least one interval", refuses(says(6, minute, 0, second), Unknown), 10 * second},
		{"at least so long whatever is told", refuses(clear200(), 0), 2 * leastHold},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(row.answer)
			d.wantHeld(row.want)
			require.True(t, d.p.Plan(d.now, 0, &Cost{Requests: 1}).Known)
			d.advance(row.want)
			d.wantHeld(0)
		})
	}
}

// A server that asks to come back before its limit's reset means one attempt,
// whose answer tells more.
func TestRetryAfterTakesPrecedenceOverAFarReset(t *testing.T) {
	for _, row := range []struct {
		name        string
		answer      Answer // to the attempt
		least, most time.Duration
	}{
		{"served", says(60, minute, 59, minute), 0, minute},
		{"served, and nothing left", says(60, minute, 0, 40*minute), 40 * minute, 41 * minute},
		{"refused again", refuses(says(60, minute, 0, 40*minute), minute), minute, 3 * minute},
		{"refused until the reset", refuses(says(60, minute, 0, 40*minute), Unknown), 40 * minute, 42 * minute},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(says(60, minute, 59, minute))
			d.get(refuses(says(60, minute, 0, 50*minute), minute))
			d.wantWaitWithin(minute, 2*minute)
			attempt := d.proceed()
			d.advance(second / 10)
			d.answer(attempt, row.answer)
			d.wantWaitWithin(row.least, row.most)
		})
	}
}

func (d *driver) wantWaitWithin(least, most time.Duration) {
	d.t.Helper()
	require.GreaterOrEqual(d.t, d.wait(1), least)
	require.LessOrEqual(d.t, d.wait(1), most)
}

// The hold names the limit that is used up.
func TestHoldNamesItsPolicy(t *testing.T) {
	d := drive(t, even)
	d.get(refuses(says(60, minute, 0, 30*second), Unknown))
	require.Equal(t, "default", d.p.Plan(d.now, 0, &Cost{Requests: 1}).Policy)
}

func TestHoldIsNeverShortened(t *testing.T) {
	d := drive(t, even)
	a, b, c := d.send(1), d.send(1), d.send(1)
	d.answer(a, refuses(clear200(), 10*second))
	d.wantHeld(10 * second)
	d.answer(b, refuses(clear200(), second))
	d.wantHeld(10 * second)
	d.advance(5 * second)
	d.answer(c, refuses(clear200(), 20*second))
	d.wantHeld(20 * second)
	d.advance(5 * second)
	d.get(clear200())
	d.wantHeld(15 * second)
}

// Refused time and again, a client waits longer than it is told. Refusals of the
// requests that were in flight together count once; a success starts anew.
func TestLeastHoldDoublesByRounds(t *testing.T) {
	d := drive(t, even)
	for round, want := 1, 2*leastHold; round <= 5; round, want = round+1, 2*want {
		flight := []Ticket{d.send(1), d.send(1), d.send(1)}
		for _, ticket := range flight {
			d.answer(ticket, refuses(clear200(), 0))
		}
		require.EqualValues(t, round, d.p.hold.rounds)
		require.Equal(t, want+d.p.hold.slack(), d.held())
		d.advance(minute)
	}
	d.get(clear200())
	require.Zero(t, d.p.hold.rounds)
	for range 300 {
		d.get(refuses(clear200(), 0))
		d.advance(10 * minute)
	}
	require.LessOrEqual(t, d.held(), leastHold<<mostRounds)
}

// A success of a request that was sent before the refusal ends nothing.
func TestOlderSuccessDoesNotEndTheRound(t *testing.T) {
	d := drive(t, even)
	a, b := d.send(1), d.send(1)
	d.answer(b, refuses(clear200(), second))
	d.answer(a, clear200())
	require.EqualValues(t, 1, d.p.hold.rounds)
	d.wantHeld(second)
}

// Refused again just after the time that it was told, a client adds up to a second
// to what it is told, and forgets that over hundreds of successes.
func TestSlack(t *testing.T) {
	const told = 5 * minute
	d := drive(t, even)
	d.get(refuses(clear200(), told))
	d.advance(told + 100*time.Millisecond)
	d.get(refuses(clear200(), told))
	learned := 100*time.Millisecond + slackStep
	d.wantHeld(told + learned)

	d.advance(d.held())
	d.get(refuses(clear200(), told))
	d.wantHeld(told + 2*learned)
	for range 5 {
		d.advance(d.held())
		d.get(refuses(clear200(), told))
	}
	d.wantHeld(told + mostSlack)

	d.advance(d.held() + 2*second)
	d.get(refuses(clear200(), told))
	require.Equal(t, mostSlack, d.p.hold.slack(), "refused long after the told time: that was something else")

	d.advance(told + minute)
	for range 2000 {
		d.get(clear200())
	}
	require.Less(t, d.p.hold.slack(), time.Millisecond)
}

// It is learned as well where a window was believed over too early, and it delays
// the entry into the next windows, however often they are planned.
func TestSlackAfterAWindow(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 0, 10*second))
	d.limit().share = share{}
	d.advance(10*second + 50*time.Millisecond)
	a, b := d.proceed(), d.send(1)
	d.answer(a, refuses(says(60, minute, 0, second), Unknown))
	d.answer(b, refuses(says(60, minute, 0, second), Unknown))
	require.Equal(t, 50*time.Millisecond+slackStep, d.p.hold.slack(), "once for the round")
}

// With a pace known, clients come back spread over an interval after the hold's end,
// and over a second at most where the interval is shorter.
func TestResumeIsSpread(t *testing.T) {
	for _, row := range []struct {
		name   string
		quota  int64
		within time.Duration
	}{
		{"slow pace: an interval", 6, 10 * second},
		{"fast pace: a second", 6000, mostSpread},
	} {
		t.Run(row.name, func(t *testing.T) {
			for _, u := range []float64{0, 0.5, 0.9} {
				d := drive(t, even)
				d.get(says(row.quota, minute, row.quota, minute))
				d.u = u
				d.answer(d.send(1), refuses(says(row.quota, minute, row.quota, 50*second), 30*second))
				d.wantWait(30*second + scale(row.within, u))
			}
		})
	}
}

// A success that comes in during a hold grants no credit, which would undo the spread.
func TestNoCreditDuringAHold(t *testing.T) {
	d := drive(t, Config{Jitter: -1})
	d.u = 0.9
	a, b := d.send(1), d.send(1)
	d.answer(a, refuses(clear200(), 10*second))
	d.answer(b, says(600, minute, 599, minute))
	require.GreaterOrEqual(t, d.wait(1), 10*second+scale(mostSpread, 0.9))
}

// With no pace known, one goes alone after the hold, until a success.
func TestAloneAfterAHoldWithoutAPace(t *testing.T) {
	d := drive(t, even)
	d.get(clear200())
	d.get(refuses(clear200(), 10*second))
	d.advance(11 * second)
	d.wantWait(0)
	ticket := d.send(1)
	d.wantWait(trickle)
	d.answer(ticket, clear200())
	require.False(t, d.p.hold.alone)
}
