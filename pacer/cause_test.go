package pacer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A plan tells why it is not for now, and how old what it rests on is.
func TestCause(t *testing.T) {
	for _, row := range []struct {
		name   string
		before func(d *driver)
		want   Plan // but for At, For and Known
	}{
		{"nothing known", func(*driver) {}, Plan{Age: Unknown}},
		{"the first answer is awaited", func(d *driver) { d.send(1) }, Plan{Cause: CauseStart, Age: Unknown}},
		{"the first answer after a hold is awaited", func(d *driver) {
			d.get(bare429())
			d.advance(minute)
			d.send(1)
		}, Plan{Cause: CauseStart, Age: Unknown}},
		{"few places", func(d *driver) {
			d.get(clear200())
			d.occupy(warmPlaces)
		}, Plan{Cause: CausePlaces, Age: Unknown}},
		{"no place", func(d *driver) {
			d.get(concurrent(1, Unknown))
			d.occupy(1)
		}, Plan{Cause: CausePlaces, Age: Unknown}},
		{"pace", func(d *driver) {
			d.get(says(60, minute, 40, minute))
			d.advance(100 * time.Millisecond)
			d.send(1)
		}, Plan{Cause: CausePace, Age: 100 * time.Millisecond, Policy: "default"}},
		{"quota", func(d *driver) {
			d.get(says(60, minute, 0, minute))
			d.advance(3 * second)
		}, Plan{Cause: CauseQuota, Age: 3 * second, Policy: "default"}},
		{"hold", func(d *driver) { d.get(refuses(clear200(), 30*second)) }, Plan{Cause: CauseHold, Age: Unknown}},
		{"hold of a policy", func(d *driver) {
			d.get(says(60, minute, 40, minute))
			d.advance(second)
			refusal := refuses(clear200(), 30*second)
			refusal.Violated = []string{"default"}
			d.get(refusal)
		}, Plan{Cause: CauseHold, Age: second, Policy: "default"}},
		{"trial", func(d *driver) {
			*d = *tried(d.t, 60, time.Second/2)
			d.answer(d.proceed(), clear200())
		}, Plan{Cause: CauseTrial, Age: Unknown}},
		{"the fastest that is believed", func(d *driver) {
			d.p.cfg.MaxRate = 1
			d.get(says(6000, minute, 6000, minute))
		}, Plan{Cause: CausePace, Age: Unknown}},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			row.before(d)
			plan := d.p.Plan(d.now, 0, &Cost{Requests: 1})
			require.Equal(t, row.want.Cause != CauseNone, plan.At > d.now)
			plan.At, plan.For, plan.Known = 0, 0, false
			require.Equal(t, row.want, plan)
		})
	}
}

// A route without an answer waits for that of its first request.
func TestCauseOfANewRoute(t *testing.T) {
	d := routed(t)
	d.via(third)
	plan := d.planVia(third)
	require.Equal(t, CauseStart, plan.Cause)
	require.Empty(t, plan.Policy)
}

func TestStateTellsThePace(t *testing.T) {
	d := drive(t, even)
	require.Equal(t, State{Places: 1}, d.p.State(d.now))

	d.get(clear200())
	require.Equal(t, int64(warmPlaces), d.p.State(d.now).Places)

	d.get(says(60, minute, 59, minute))
	s := d.p.State(d.now)
	require.EqualValues(t, Unknown, s.Places)
	require.InEpsilon(t, 1, s.Pace, 0.05)
	require.Equal(t, d.now, s.Limits[0].ToldAt)
	require.Zero(t, s.Trial)

	d = tried(t, 60, time.Second/2)
	s = d.p.State(d.now)
	require.InEpsilon(t, 0.97, s.Trial, 0.01)
	require.InEpsilon(t, s.Trial, s.Pace, 1e-9)

	d = drive(t, even)
	d.get(concurrent(7, Unknown))
	require.EqualValues(t, 7, d.p.State(d.now).Places)
}
