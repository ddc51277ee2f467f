package pacer_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// A plan says why a request waits, and whether a response in flight may let it go earlier.
func TestCause(t *testing.T) {
	for _, row := range []struct {
		name   string
		before func(d *driver)
		want   pacer.Plan // without At and For
	}{
		{"nothing known", func(*driver) {}, pacer.Plan{}},
		{"the first answer is awaited", func(d *driver) { d.send(1) }, pacer.Plan{Cause: pacer.CauseStart}},
		{"the first answer after a hold is awaited", func(d *driver) {
			d.get(bare429())
			d.advance(minute)
			d.send(1)
		}, pacer.Plan{Cause: pacer.CauseStart}},
		{"few places", func(d *driver) {
			d.get(ok())
			d.occupy(3)
		}, pacer.Plan{Cause: pacer.CausePlaces}},
		{"no place", func(d *driver) {
			d.get(several(atMost(1, unknown)))
			d.occupy(1)
		}, pacer.Plan{Cause: pacer.CausePlaces}},
		{"pace", func(d *driver) {
			d.get(says(60, minute, 59, minute))
			d.advance(100 * time.Millisecond)
			d.send(1)
		}, pacer.Plan{Cause: pacer.CausePace, Policy: "default"}},
		{"quota", func(d *driver) {
			d.get(says(60, minute, 0, 30*second))
			d.advance(3 * second)
		}, pacer.Plan{Cause: pacer.CauseQuota, Policy: "default", Known: true}},
		{"hold", func(d *driver) { d.get(refuses(ok(), 30*second)) }, pacer.Plan{Cause: pacer.CauseHold, Known: true}},
		{"hold of a policy", func(d *driver) {
			d.get(says(60, minute, 40, 30*second))
			d.advance(second)
			refusal := refuses(ok(), 30*second)
			refusal.Violated = []string{"default"}
			d.get(refusal)
		}, pacer.Plan{Cause: pacer.CauseHold, Policy: "default", Known: true}},
		{"hold by a limit that is used up", func(d *driver) {
			d.get(refuses(says(60, minute, 0, 30*second), unknown))
		}, pacer.Plan{Cause: pacer.CauseHold, Policy: "default", Known: true}},
		{"trial", func(d *driver) {
			*d = *tried(d.t.(*testing.T), 60, second/2, 30*second)
			d.answer(d.proceed(), ok())
		}, pacer.Plan{Cause: pacer.CauseTrial, Known: true}},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			row.before(d)
			plan := d.plan()
			require.Equal(t, row.want.Cause != pacer.CauseNone, plan.At > d.now)
			plan.At, plan.For = 0, 0
			require.Equal(t, row.want, plan)
		})
	}
	d := drive(t, pacer.Config{Burst: -1, Jitter: -1, MaxRate: 1})
	d.get(says(6000, minute, 5999, minute))
	require.Equal(t, pacer.CausePace, d.plan().Cause, "the fastest that is believed")
}

// State shows what is known.
func TestState(t *testing.T) {
	d := drive(t, even)
	require.Equal(t, pacer.State{Places: 1}, d.state())
	d.get(ok())
	require.EqualValues(t, 3, d.state().Places)
	d.get(says(60, minute, 59, minute))
	s := d.state()
	require.EqualValues(t, unknown, s.Places)
	require.InEpsilon(t, 1, s.Pace, 0.05)
	require.Zero(t, s.Trial)
	require.Equal(t, pacer.LimitState{
		Known:      limits.Known{Policy: "default", Unit: "requests", Quota: 60, Remaining: 59, Window: minute, Rate: s.Limits[0].Rate, Share: 1},
		ReportedAt: d.now, LatestEnd: d.now.Add(minute),
	}, s.Limits[0])
	flight := d.send(1)
	require.EqualValues(t, 1, d.state().InFlight)
	d.answer(flight, refuses(ok(), 10*second))
	require.Equal(t, d.now.Add(10*second), d.state().HeldUntil)
}

// Sending is seven per second after five seconds of seven per second, although it averages over a minute. It
// forgets what is older than a minute.
func TestSending(t *testing.T) {
	for _, row := range []struct {
		every, long time.Duration
		want        float64
	}{{second / 7, 5 * second, 7}, {second, 10 * minute, 1}, {10 * time.Millisecond, 10 * second, 100}} {
		d := drive(t, even)
		for d.since() < row.long {
			d.get(ok())
			d.advance(row.every)
		}
		require.InEpsilon(t, row.want, d.state().Sending, 0.1)
	}
	d := drive(t, even)
	for range 600 {
		d.get(ok())
		d.advance(second)
	}
	d.advance(minute / 2)
	require.InEpsilon(t, 0.5, d.state().Sending, 0.05)
	d.advance(minute / 2)
	require.Zero(t, d.state().Sending)
	d = drive(t, even)
	d.send(60)
	d.advance(-10 * minute)
	require.InEpsilon(t, 60, d.state().Sending, 0.01, "a clock that is set back does no harm")
}
