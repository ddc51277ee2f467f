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
		d.wantHeld(max(min(want, mostBackoff), least) + d.p.hold.slack)
		d.advance(10 * minute)
	}
	d.get(clear200())
	d.get(bare429())
	d.wantHeld(max(firstBackoff, d.p.interval()))
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
	require.True(t, d.p.Plan(d.now, 0, 1).Known)
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

// Time in which the client had nothing to send is not, be a long poll open or not.
func TestTrialDoesNotCountIdleTime(t *testing.T) {
	busy := tried(t, 60, 500*time.Millisecond)
	for _, row := range []struct {
		name string
		poll bool
	}{{"nothing in flight", false}, {"a long poll in flight", true}} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			if row.poll {
				d.send(1)
			}
			for i := range 60 {
				if i == 30 {
					d.advance(10 * minute)
				}
				d.answer(d.send(1), clear200())
				d.advance(500 * time.Millisecond)
			}
			d.get(refuses(clear200(), 30*second))
			d.advance(30 * second)
			d.get(clear200())
			require.InEpsilon(t, busy.p.trial.rate, d.p.trial.rate, 0.02)
		})
	}
}

// Waiting for an answer is no idleness: a slow server is the reason for the rate.
func TestTrialCountsTheTimeOfAnswers(t *testing.T) {
	d := drive(t, even)
	for range 12 {
		ticket := d.send(1)
		d.advance(5 * second)
		d.answer(ticket, clear200())
	}
	d.get(refuses(clear200(), 5*second))
	d.advance(5 * second)
	d.get(clear200())
	require.InEpsilon(t, trialStart*12/65, d.p.trial.rate*float64(second), 0.05)
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
