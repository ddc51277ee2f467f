package pacer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Without a word a server is asked again after 0.5 s, doubling up to a minute.
func TestSilentBackoffDoubles(t *testing.T) {
	d := drive(t, even)
	for want := firstBackoff; want < 4*mostBackoff; want *= 2 {
		d.get(bare429())
		least := leastHold << d.p.hold.rounds
		d.wantHeld(max(min(want, mostBackoff), least) + d.p.hold.slack())
		d.advance(10 * minute)
	}
	d.get(clear200())
	d.get(bare429())
	d.wantHeld(max(firstBackoff, d.p.interval(d.p.live)))
}

// tried is a driver at a server that tells nothing: n successes and then a refusal,
// one every step, a hold, and the first success after it.
func tried(t *testing.T, n int, step time.Duration) *driver {
	t.Helper()
	d := drive(t, even)
	for range n {
		d.answer(d.send(1), clear200())
		d.advance(step)
	}
	d.get(refuses(clear200(), 30*second))
	d.advance(30 * second)
	d.get(clear200())
	return d
}

// The first success after the hold gives the rate: successes over time, hold
// included, and a little less than that.
func TestTrialMeasuresARate(t *testing.T) {
	d := tried(t, 60, 500*time.Millisecond)
	measured := trialStart * 60 / float64(minute)
	require.InEpsilon(t, measured*(1+trialRise/60), d.p.trial.rate, 1e-9)
	require.True(t, d.p.Plan(d.now, 0, &Cost{Requests: 1}).Known)
	d.wantWait(interval(d.p.trial.rate))
}

// Over as many successes as the last trial had the rate rises by about trialRise,
// until a refusal ends the trial.
func TestTrialRises(t *testing.T) {
	d := tried(t, 60, 500*time.Millisecond)
	before := d.p.trial.rate
	for range 60 {
		d.answer(d.proceed(), clear200())
	}
	require.InDelta(t, 1+trialRise, d.p.trial.rate/before, 0.03)

	rate := d.p.trial.rate
	d.answer(d.proceed(), bare429())
	d.advance(d.held())
	d.answer(d.proceed(), clear200())
	require.Less(t, d.p.trial.rate, rate, "the hold is part of the time that is measured")
}

// Time in which the client had nothing to send is not, whatever is in flight.
func TestTrialDoesNotCountIdleTime(t *testing.T) {
	busy := tried(t, 60, 500*time.Millisecond)
	nothing := func(*driver) {}
	idle := func(d *driver) { d.advance(10 * minute) }
	for _, row := range []struct {
		name               string
		begin, inIt, after func(*driver)
	}{
		{"nothing in flight", nothing, idle, nothing},
		{"a long poll in flight", func(d *driver) { d.send(1) }, idle, nothing},
		{"long polls one after another", nothing, func(d *driver) {
			for range 10 {
				poll := d.send(1)
				d.advance(minute)
				d.answer(poll, clear200())
			}
		}, nothing},
		{"after the hold", nothing, nothing, idle},
		{"in a hold and after it", nothing, nothing, func(d *driver) {
			d.get(refuses(clear200(), 0))
			idle(d)
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			row.begin(d)
			for i := range 60 {
				if i == 30 {
					row.inIt(d)
				}
				d.answer(d.send(1), clear200())
				d.advance(500 * time.Millisecond)
			}
			d.get(refuses(clear200(), 30*second))
			d.advance(30 * second)
			row.after(d)
			d.get(clear200())
			require.InEpsilon(t, busy.p.trial.rate, d.p.trial.rate, 0.2)
		})
	}
}

// A call every five seconds, each answered after twenty, and a push-back: that
// some are always in flight does not make five seconds the pace.
func TestTrialDoesNotTakeDemandForARate(t *testing.T) {
	d := drive(t, even)
	var flight []Ticket
	for range 100 {
		flight = append(flight, d.send(1))
		d.advance(5 * second)
		if len(flight) > 3 {
			d.answer(flight[0], clear200())
			flight = flight[1:]
		}
	}
	d.get(refuses(clear200(), 2*second))
	d.advance(2 * second)
	d.get(clear200())
	require.Less(t, d.p.trial.gap(), 100*time.Millisecond)
}

// Who waits for each answer of a slow server is not told from who has nothing to
// send, but finds its rate in a few trials.
func TestTrialFindsTheRateOfASlowServer(t *testing.T) {
	const answers, window = 5 * second, minute // 12 of which 10 are allowed
	d := drive(t, even)
	start, n, refused := d.now, 0, 0
	for range 240 {
		ticket := d.proceed()
		if d.now.Sub(start) >= window {
			start, n = d.now, 0
		}
		n++
		reset := start.Add(window).Sub(d.now)
		d.advance(answers)
		if n <= 10 {
			d.answer(ticket, clear200())
			continue
		}
		refused++
		d.answer(ticket, refuses(clear200(), max(0, reset-answers)))
	}
	d.logf("%d refused", refused)
	require.InDelta(t, 10, d.p.trial.rate*float64(window), 2)
	require.LessOrEqual(t, refused, 240/15)
}

// Of a hold that is far longer than the trial only a part counts: it could be a penalty.
func TestTrialCountsAHold(t *testing.T) {
	bare := func(d *driver) {
		for range 10 {
			d.get(bare429())
			d.advance(d.held())
		}
	}
	wait := func(retryAfter time.Duration) func(d *driver) {
		return func(d *driver) {
			d.get(refuses(clear200(), retryAfter))
			d.advance(retryAfter)
		}
	}
	for _, row := range []struct {
		name string
		n    int
		step time.Duration
		hold func(*driver)
		want time.Duration // that counts, trial included; 0: all of it
	}{
		{"shorter than the trial", 60, second, wait(10 * second), 70 * second},
		{"up to three times the trial", 60, second, wait(3 * minute), 4 * minute},
		{"an hour", 60, second, wait(time.Hour), 4 * minute},
		{"an hour after a hundred seconds", 1000, 100 * time.Millisecond, wait(time.Hour), 400 * second},
		{"a day", 60, second, wait(day), 4 * minute},
		{"a minute after a short trial", 60, 10 * time.Millisecond, wait(minute), minute + 600*time.Millisecond},
		{"an hour after a short trial", 60, 10 * time.Millisecond, wait(time.Hour), minute + 600*time.Millisecond},
		{"a backoff asks again and again", 60, 100 * time.Millisecond, bare, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			start := d.now
			for range row.n {
				d.answer(d.send(1), clear200())
				d.advance(row.step)
			}
			row.hold(d)
			want := row.want
			if want == 0 {
				want = d.now.Sub(start)
			}
			d.get(clear200())
			measured := trialStart * float64(row.n) / d.p.trial.rate
			require.InEpsilon(t, want.Seconds(), measured/float64(second), 0.03)
		})
	}
}

// A window of an hour is found all the same, in a few windows that are used up at once.
func TestTrialFindsALongWindow(t *testing.T) {
	const quota = 100
	d := drive(t, even)
	start, n, refused := d.now, 0, 0
	for range 10 * quota {
		ticket := d.proceed()
		if d.now.Sub(start) >= time.Hour {
			start, n = d.now, 0
		}
		n++
		if n <= quota {
			d.answer(ticket, clear200())
			d.advance(100 * time.Millisecond)
			continue
		}
		refused++
		d.answer(ticket, refuses(clear200(), start.Add(time.Hour).Sub(d.now)))
	}
	d.logf("%d refused", refused)
	require.InEpsilon(t, quota, d.p.trial.rate*float64(time.Hour), 0.2)
	require.LessOrEqual(t, refused, quota/10)
}

// Without a refusal the rise is ever faster, in proportion to the last trial.
func TestTrialRisesEverFaster(t *testing.T) {
	for _, row := range []struct{ before, n, rise int }{
		{60, 7 * 60, 10},
		{2000, 7 * 2000, 10},
	} {
		d := tried(t, row.before, 100*time.Millisecond)
		rate := d.p.trial.rate
		for range row.n {
			d.answer(d.proceed(), clear200())
		}
		require.Greater(t, d.p.trial.rate, float64(row.rise)*rate)
	}
}

// Keeping to a pace slower than one per second is no idleness.
func TestTrialCountsTheTimeOfASlowPace(t *testing.T) {
	d := tried(t, 12, 5*second)
	d.logf("rate %v per minute", d.p.trial.rate*float64(minute))
	d.p.trial.rate = 6 / float64(minute)
	for range 12 {
		d.answer(d.proceed(), clear200())
	}
	d.answer(d.proceed(), refuses(clear200(), 5*second))
	d.advance(d.held())
	d.answer(d.proceed(), clear200())
	require.InDelta(t, 5.5, d.p.trial.rate*float64(minute), 1)
}

// Limits that are named come first.
func TestTrialGivesWayToLimits(t *testing.T) {
	d := tried(t, 60, 500*time.Millisecond)
	d.get(says(600, minute, 600, minute))
	d.wantGap(100 * time.Millisecond)
}

// A limit that hides behind another is believed in after two refusals, until so
// many successes come that they must have been push-backs.
func TestTrialForgetsPushBacks(t *testing.T) {
	d := drive(t, even)
	told := says(600, minute, 600, minute)
	pushBack := func() {
		d.answer(d.proceed(), refuses(told, 10*second))
		d.advance(d.held())
	}
	serve := func(n int) {
		for range n {
			d.answer(d.proceed(), told)
		}
	}
	serve(20)
	pushBack()
	serve(20)
	require.Less(t, d.need().gap, 200*time.Millisecond)
	pushBack()
	serve(1)
	require.Greater(t, d.need().gap, 300*time.Millisecond, "a limit seems to be hidden")
	serve(trialSure)
	pushBack()
	serve(20)
	require.Less(t, d.need().gap, 200*time.Millisecond)
}
