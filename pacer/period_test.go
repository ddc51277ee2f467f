package pacer_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/ratelimittest"
)

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
	d, bucket := drive(t, pacer.Config{}), of(&ratelimittest.TokenBucket{Policy: ratelimittest.Policy{Quota: 10, Window: minute}}, countsAlone)
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
	serve := of(&ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Quota: 10, Window: minute}}, countsAlone)
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
	serve := of(&ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Quota: 10, Window: minute}}, countsAlone)
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
