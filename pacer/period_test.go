package pacer_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/ratelimittest"
)

// withoutTimes is what a limiter answers who tells a quota and what is left of it, but no time.
func withoutTimes(l ratelimittest.Limiter) func(now pacer.Instant) pacer.Answer {
	return func(now pacer.Instant) pacer.Answer {
		a := of(l)(now)
		a.RetryAfter = unknown
		for i := range a.Limits {
			a.Limits[i].Window, a.Limits[i].Reset = unknown, unknown
		}
		return a
	}
}

// tenths runs eight workers of one client for so long. It returns how many requests were allowed in each tenth of that time,
// and how many were refused.
func tenths(t *testing.T, serve func(now pacer.Instant) pacer.Answer, long time.Duration) (allowed [10]int, refused int) {
	t.Helper()
	c := crowd{clients: []*driver{drive(t, pacer.Config{})}, workers: 8, latency: 50 * time.Millisecond, serve: serve}
	c.on = func(_ int, now pacer.Instant, isRefused bool) {
		if isRefused {
			refused++
			return
		}
		allowed[min(int(now.Sub(start)*10/long), 9)]++
	}
	c.run(long, 1)
	return allowed, refused
}

// Of 100 per minute the whole quota went at once, and then nothing for the rest of the minute.
func TestQuotaWithoutWindowIsPaced(t *testing.T) {
	server := &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Quota: 100, Window: minute}}
	allowed, refused := tenths(t, withoutTimes(server), minute)
	require.Zero(t, refused)
	for i, n := range allowed {
		require.GreaterOrEqual(t, n, 5, "tenth %d of a minute", i)
		require.LessOrEqual(t, n, 30, "tenth %d of a minute", i)
	}
}

func TestWindowOfASecondIsFound(t *testing.T) {
	server := &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Quota: 10, Window: second}, Aligned: true}
	allowed, refused := tenths(t, withoutTimes(server), 10*second)
	require.LessOrEqual(t, refused, 2)
	for i, n := range allowed[3:] {
		require.GreaterOrEqual(t, n, 6, "second %d", i+3)
	}
}

// A program that sends a request every other minute learns nothing of a window of a minute, and must not take it for
// one of two, or of a millisecond.
func TestSeldomRequestsSayLittleOfTheWindow(t *testing.T) {
	for name, server := range map[string]ratelimittest.Limiter{
		"window": &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Quota: 100, Window: minute}},
		"bucket": &ratelimittest.TokenBucket{Policy: ratelimittest.Policy{Quota: 100, Window: minute}},
	} {
		t.Run(name, func(t *testing.T) {
			d, serve := drive(t, even), withoutTimes(server)
			for range 30 {
				require.Zero(t, d.wait())
				d.get(serve(d.now))
				d.advance(2 * minute)
			}
			require.InDelta(t, minute, d.p.State(d.now).Limits[0].Window, float64(minute)/5)
		})
	}
}

// A server that says that nothing is left, and serves all the same, is not waited for ever longer.
func TestNothingLeftButServed(t *testing.T) {
	d := drive(t, pacer.Config{})
	for range 100 {
		require.LessOrEqual(t, d.wait(), 10*second)
		d.advance(d.wait())
		d.get(says(5, unknown, 0, unknown))
	}
}

// What is told at last comes before what was guessed.
func TestToldWindowReplacesGuess(t *testing.T) {
	for name, told := range map[string]pacer.Answer{
		"the window": says(100, 10*second, 90, unknown),
		"a reset":    says(100, unknown, 90, 10*second),
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t, even)
			d.get(says(100, unknown, 99, unknown))
			require.Equal(t, minute, d.p.State(d.now).Limits[0].Window)
			d.advance(second)
			d.get(told)
			require.Equal(t, 10*second, d.p.State(d.now).Limits[0].Window)
		})
	}
}

// Of a limit of which nothing is told but its quota it may be that nothing is counted.
func TestNothingIsGuessedOfAQuotaAlone(t *testing.T) {
	d := drive(t, even)
	d.get(says(100, unknown, unknown, unknown))
	require.EqualValues(t, unknown, d.p.State(d.now).Limits[0].Window)
}

// Refusals that say that nothing is left make a window longer, but not for ever.
func TestRefusalsBoundTheWindow(t *testing.T) {
	d, bucket := drive(t, pacer.Config{}), withoutTimes(&ratelimittest.TokenBucket{Policy: ratelimittest.Policy{Quota: 10, Window: minute}})
	for range 40 {
		d.advance(d.wait())
		d.get(bucket(d.now))
	}
	for range 60 {
		d.advance(d.wait())
		d.get(refuses(says(10, unknown, 0, unknown), unknown))
		window := d.p.State(d.now).Limits[0].Window
		require.LessOrEqual(t, window, 32*day)
		require.GreaterOrEqual(t, window, 20*second)
	}
}

// A client that sends three requests every few hours sees the quota full again, and never a window's end.
func TestIdleClientIsNotSlowed(t *testing.T) {
	d := drive(t, even)
	serve := withoutTimes(&ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Quota: 10, Window: minute}})
	for _, pause := range []time.Duration{2 * hour, 4 * hour, 3 * hour, 90 * minute, 7 * hour, 0} {
		for range 3 {
			require.LessOrEqual(t, d.wait(), 10*second)
			d.advance(d.wait())
			d.get(serve(d.now))
			d.advance(50 * time.Millisecond)
		}
		d.advance(pause)
	}
}

// A server that is out of order says for ten minutes that nothing is left.
func TestOutageIsNotTakenForAWindow(t *testing.T) {
	d := drive(t, even)
	serve := withoutTimes(&ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Quota: 10, Window: minute}})
	last := 0
	for d.since() < 2*hour {
		for d.wait() > 0 {
			d.advance(d.wait())
		}
		a := serve(d.now)
		if x := d.since(); x > 10*minute && x < 20*minute {
			a = refuses(says(10, unknown, 0, unknown), unknown)
		}
		if d.since() > 90*minute {
			last++
		}
		d.get(a)
		d.advance(50 * time.Millisecond)
	}
	require.GreaterOrEqual(t, last, 150, "of 300 in the last half hour")
}

// An end is told as a date in whole seconds, cut as what the client compares it with. Of a window of a second that
// says nothing, so it is found by what comes back. Before, the client took the window for over when it was not, and
// what it had used itself for others' use: it went at half the pace.
func TestWindowOfASecondIsFoundByCutDates(t *testing.T) {
	server := &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Quota: 10, Window: second}}
	allowed, refused := tenths(t, func(now pacer.Instant) pacer.Answer {
		at := epoch.Add(now.Sub(start) + 300*time.Millisecond) // windows are not in step with the seconds
		decided := server.Take(at, "", 1)
		a := tells(decided)
		a.RetryAfter = unknown
		for i, l := range decided.Limits {
			a.Limits[i].Window, a.Limits[i].Reset = unknown, at.Add(l.Reset).Truncate(second).Sub(at.Truncate(second))
		}
		return a
	}, 10*second)
	require.LessOrEqual(t, refused, 1)
	for i, n := range allowed[1:] {
		require.GreaterOrEqual(t, n, 8, "second %d", i+1)
	}
}
