package pacer_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/ratelimittest"
)

// withoutTimes returns the limiter's answers without their times: only the quota and the remaining quota
// are left.
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

// tenths runs eight workers of one client for the given time. It returns how many requests were allowed in
// each tenth of that time, and how many were refused.
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

// With a quota of 100 per minute and no reported window, the client spreads its requests over the minute.
func TestQuotaWithoutWindowIsPaced(t *testing.T) {
	server := &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Quota: 100, Window: minute}}
	allowed, refused := tenths(t, withoutTimes(server), minute)
	require.Zero(t, refused)
	for i, n := range allowed[:9] {
		require.GreaterOrEqual(t, n, 3, "tenth %d of a minute", i)
		require.LessOrEqual(t, n, 30, "tenth %d of a minute", i)
	}
}

// If the window is reported and its end is not, the first reading bounds the end, and each rise of r tells the next
// one. So the quota is used, whatever the algorithm.
func TestWindowWithoutResets(t *testing.T) {
	const quota, windows = 100, 20
	for name, row := range map[string]struct {
		server ratelimittest.Limiter
		used   float64
	}{
		"window":         {&ratelimittest.FixedWindow{Policy: ratelimittest.Per(quota, minute)}, 0.98},
		"aligned window": {&ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Quota: quota, Window: minute}, Aligned: true}, 0.98},
		"log":            {&ratelimittest.SlidingLog{Policy: ratelimittest.Per(quota, minute)}, 0.95},
		"counter":        {&ratelimittest.SlidingCounter{Policy: ratelimittest.Per(quota, minute)}, 0.9},
		"bucket":         {&ratelimittest.TokenBucket{Policy: ratelimittest.Per(quota, minute)}, 0.98},
	} {
		t.Run(name, func(t *testing.T) {
			serve := func(now pacer.Instant) pacer.Answer {
				a := of(row.server)(now)
				a.RetryAfter, a.Limits[0].Reset = unknown, unknown
				return a
			}
			allowed, refused := tenths(t, serve, windows*minute)
			sum := 0
			for _, n := range allowed {
				sum += n
			}
			t.Logf("%d of %d, %d refused", sum, windows*quota, refused)
			require.GreaterOrEqual(t, float64(sum), row.used*windows*quota)
			require.LessOrEqual(t, refused, 2)
		})
	}
}

func TestWindowOfASecondIsFound(t *testing.T) {
	server := &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Quota: 10, Window: second}, Aligned: true}
	allowed, refused := tenths(t, withoutTimes(server), 100*second)
	require.LessOrEqual(t, refused, 5)
	for i, n := range allowed[3:] {
		require.GreaterOrEqual(t, n, 60, "ten seconds %d", i+3)
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

// A server that reports r=0 but serves requests does not make the client wait longer each time. The first time it waits for
// the guessed window, and a second more, as nobody has seen it end.
func TestNothingLeftButServed(t *testing.T) {
	d := drive(t, pacer.Config{})
	for i := range 100 {
		require.LessOrEqual(t, d.wait(), minute+second)
		if i > 20 {
			require.LessOrEqual(t, d.wait(), 10*second)
		}
		d.advance(d.wait())
		d.get(says(5, unknown, 0, unknown))
	}
}

// A reported window or reset replaces the client's guess.
func TestReportedWindowReplacesGuess(t *testing.T) {
	for name, reported := range map[string]pacer.Answer{
		"the window": says(100, 10*second, 90, unknown),
		"a reset":    says(100, unknown, 90, 90*second),
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t, even)
			d.get(says(100, unknown, 99, unknown))
			require.Equal(t, minute, d.p.State(d.now).Limits[0].Window)
			d.advance(second)
			d.get(reported)
			require.Equal(t, max(reported.Limits[0].Window, reported.Limits[0].Reset), d.p.State(d.now).Limits[0].Window)
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

// Refusals with r=0 lengthen the guessed window, up to 32 days.
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

// A client that sends three requests every few hours sees a full quota each time, but never the end of a
// window. It must not slow down.
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

// A faulty server reports r=0 for ten minutes. The client must not take these minutes for the window.
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

// The server reports the window's end as a date, cut to whole seconds, as is the date that the client
// compares it with. For a window of one second such dates say nothing, so the client measures when quota
// comes back. Without that, the client counted its own use as other clients' use, and sent at half the
// pace.
func TestWindowOfASecondIsFoundByCutDates(t *testing.T) {
	server := &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Quota: 10, Window: second}}
	allowed, refused := tenths(t, func(now pacer.Instant) pacer.Answer {
		at := epoch.Add(now.Sub(start) + 300*time.Millisecond) // windows do not begin at whole seconds
		decided := server.Take(at, "", 1)
		a := reports(decided)
		a.RetryAfter = unknown
		for i, l := range decided.Limits {
			a.Limits[i].Window, a.Limits[i].Reset = unknown, at.Add(l.Reset).Truncate(second).Sub(at.Truncate(second))
		}
		return a
	}, 10*second)
	require.LessOrEqual(t, refused, 1)
	for i, n := range allowed[1:] {
		require.GreaterOrEqual(t, n, 5, "second %d", i+1)
	}
}
