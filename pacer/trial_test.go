package pacer_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// tried returns a client of a server that reports nothing. The client has had n successes, one every step,
// then a refusal with the given hold, and one success after it.
func tried(tb testing.TB, n int, step, hold time.Duration) *driver {
	tb.Helper()
	d := drive(tb, even)
	for range n {
		d.get(ok())
		d.advance(step)
	}
	d.get(refuses(ok(), hold))
	d.advance(hold)
	d.get(ok())
	return d
}

// Time in which the client had nothing to send does not count for the measured rate.
func TestTrialDoesNotCountIdleTime(t *testing.T) {
	idle := func(d *driver) { d.advance(10 * minute) }
	for name, after := range map[string]func(*driver){
		"after the hold": idle,
		"in a hold and after it": func(d *driver) {
			d.get(refuses(ok(), 0))
			idle(d)
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t, even)
			for range 60 {
				d.get(ok())
				d.advance(second / 2)
			}
			d.get(refuses(ok(), 30*second))
			d.advance(30 * second)
			after(d)
			d.get(ok())
			require.InEpsilon(t, 0.97, d.state().Trial, 0.25)
		})
	}
}

// If a hold is far longer than the trial, only a part of the hold counts as the trial's time, as the hold may
// be a penalty.
func TestTrialCountsAHold(t *testing.T) {
	for _, row := range []struct {
		name       string
		n          int
		step, hold time.Duration
		want       time.Duration // counted time, trial included
	}{
		{"shorter than the trial", 60, second, 10 * second, 70 * second},
		{"up to three times the trial", 60, second, 3 * minute, 4 * minute},
		{"an hour", 60, second, hour, 4 * minute},
		{"an hour after a hundred seconds", 1000, 100 * time.Millisecond, hour, 400 * second},
		{"a day", 60, second, day, 4 * minute},
		{"a minute after a short trial", 60, 10 * time.Millisecond, minute, minute + 600*time.Millisecond},
		{"an hour after a short trial", 60, 10 * time.Millisecond, hour, minute + 600*time.Millisecond},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := tried(t, row.n, row.step, row.hold)
			require.InEpsilon(t, 1.02*float64(row.n)/row.want.Seconds(), d.state().Trial, 0.03)
		})
	}
}

// Requests behind others wait for the rate that was found, as each of those does.
func TestBehindOthersInATrial(t *testing.T) {
	d := tried(t, 60, second/2, 30*second)
	ahead := d.p.Plan(d.now, 10, &one).At.Sub(d.now) - d.wait()
	require.InEpsilon(t, 10/d.state().Trial, ahead.Seconds(), 0.01)
}

// One refusal that the reported limit does not explain may be a mistake. A second one within ten minutes begins a trial.
func TestDoubtedLimit(t *testing.T) {
	for pause, isTried := range map[time.Duration]bool{9 * minute: true, 11 * minute: false} {
		d := drive(t, even)
		refused := func() {
			d.get(says(600, minute, 500, minute))
			d.answer(d.proceed(), refuses(says(600, minute, 400, minute), second))
			d.answer(d.proceed(), says(600, minute, 399, minute))
		}
		refused()
		require.Zero(t, d.state().Trial)
		d.advance(pause)
		refused()
		require.Equal(t, isTried, d.state().Trial > 0, "%v later", pause)
	}
}

// A limit that the server begins to report replaces the rate of a trial.
func TestTrialBesideLimits(t *testing.T) {
	d := tried(t, 60, second/2, 30*second)
	d.get(says(600, minute, 599, minute))
	require.InEpsilon(t, 10, d.state().Pace, 0.05)
}

// If refusals have nothing to do with the pace (a flaky gateway), the client cannot know that. It becomes slow, but
// does not stop.
func TestRefusalsByChance(t *testing.T) {
	for _, row := range []struct {
		name       string
		chance     float64
		retryAfter time.Duration
		least      float64 // average served per second, at least
	}{
		{"1 %", 0.01, second, 2},
		{"3 %", 0.03, second, 0.5},
		{"10 %", 0.1, second, 0.15},
		{"10 %, bare", 0.1, unknown, 0.15},
	} {
		t.Run(row.name, func(t *testing.T) {
			all := 0
			for seed := range uint64(8) {
				served := 0
				w := newWorld(seed, 50*time.Millisecond, nil)
				w.serve = func(e *exchange) {
					if e.answer = ok(); w.rng.Float64() < row.chance {
						e.answer = refuses(ok(), row.retryAfter)
						return
					}
					served++
				}
				w.join(even, 1, 0)
				w.run(hour)
				require.Greater(t, served, 3600/10)
				all += served
			}
			t.Logf("%.2f per second", float64(all)/8/3600)
			require.GreaterOrEqual(t, float64(all), 8*3600*row.least)
		})
	}
}
