package pacer

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A client that can have more when it needs it asks again within a second, while one that
// has as much as any waits for the window's end, or until its pace lets it go.
func TestPartialPartIsNotFinal(t *testing.T) {
	for _, row := range []struct {
		name  string
		units int64
		share float64
		set   func(l *limit)
		full  time.Duration // that it waits if there is no more to be had
	}{
		{"used up", 2, 0.5, func(*limit) {}, minute},
		{"a long gap", 4, 0.5, func(*limit) {}, 30 * second},
		{"a long gap of a limit that refills", 0, 0.01, func(l *limit) { l.refill.prove() }, 100 * second},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(says(60, minute, 59, minute))
			d.get(says(60, minute, 58, minute))
			row.set(d.limit())
			part := d.own(row.units, row.units, row.share)
			agree := func() {
				d.apportion(Parts{Until: d.now.Add(day), Members: int(1 / row.share), Limits: []Part{part}})
			}
			agree()
			require.InDelta(t, row.full.Seconds(), d.wait(1).Seconds(), 1)
			plan := d.p.Plan(d.now, 1, &Cost{Requests: 1})
			require.True(t, plan.Known, "nothing can come sooner")

			part.Full = false
			agree()
			for range 20 {
				d.wantWait(partWait)
				require.False(t, d.p.Plan(d.now, 0, &Cost{Requests: 1}).Known, "no deadline is too soon for that")
				require.NotEqual(t, CauseNone, d.p.Plan(d.now, 0, &Cost{Requests: 1}).Cause)
				require.False(t, d.p.Plan(d.now, 1, &Cost{Requests: 1}).Known, "a larger part may come")
				d.advance(partWait)
			}

			d.agree(d.own(60, 60, 1))
			d.wantWait(0)
		})
	}
}

// Who need not wait has nothing to ask for.
func TestPartialPartOfWhoNeedNotWait(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 59, minute))
	part := d.own(30, 30, 0.5)
	part.Full = false
	d.agree(part)
	d.advance(10 * second)
	d.wantWait(0)
	require.True(t, d.p.Plan(d.now, 1, &Cost{Requests: 1}).Known)
}

// A hold is no shorter for a client that can have more.
func TestHoldOfAPartialPart(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 59, minute))
	part := d.own(30, 30, 0.5)
	part.Full, part.HeldUntil = false, d.now.Add(20*second)
	d.agree(part)
	require.GreaterOrEqual(t, d.wait(1), 20*second)
	require.True(t, d.p.Plan(d.now, 0, &Cost{Requests: 1}).Known)
	require.True(t, d.p.Plan(d.now, 5, &Cost{Requests: 1}).Known, "nor is it less final")
}

func TestCanHaveMore(t *testing.T) {
	d := drive(t, even)
	require.False(t, d.p.CanHaveMore(), "no limit is known")
	d.get(says(60, minute, 59, minute))
	require.True(t, d.p.CanHaveMore(), "it was not told its part")
	part := d.own(30, 30, 0.5)
	d.agree(part)
	require.False(t, d.p.CanHaveMore())
	part.Full = false
	d.agree(part)
	require.True(t, d.p.CanHaveMore())
}

// A hold that another client met holds this one, which then comes back spread.
func TestToldHold(t *testing.T) {
	for _, row := range []struct {
		name string
		hold func(until Instant) Parts
	}{
		{"on everything", func(until Instant) Parts { return Parts{HeldUntil: until} }},
		{"on everything, as the part is over", func(until Instant) Parts { return Parts{Until: 1, HeldUntil: until} }},
		{"on the limit", func(until Instant) Parts {
			return Parts{Until: Never, Members: 1, Limits: []Part{{Policy: "default", Share: 1, Units: 60, Next: 60, Full: true, Remaining: Unknown, HeldUntil: until}}}
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			for _, u := range []float64{0, 0.5, 0.99} {
				d := drive(t, even)
				d.get(says(600, minute, 599, minute))
				d.advance(5 * second)
				d.u = u
				flight := d.send(1)
				d.apportion(row.hold(d.now.Add(20 * second)))
				require.True(t, d.p.Held(d.now))
				d.wantWait(20*second + scale(mostSpread, u))
				require.True(t, d.p.Plan(d.now, 0, &Cost{Requests: 1}).Known)
				require.Equal(t, CauseHold, d.p.Plan(d.now, 0, &Cost{Requests: 1}).Cause)

				d.apportion(row.hold(d.now.Add(10 * second)))
				d.wantWait(20*second + scale(mostSpread, u)) // never shortened
				d.apportion(row.hold(0))
				d.apportion(row.hold(math.MinInt64))
				d.apportion(row.hold(d.now))
				d.wantWait(20*second + scale(mostSpread, u))
				d.apportion(row.hold(d.now.Add(30 * second)))
				d.wantWait(30*second + scale(mostSpread, u))

				d.answer(flight, clear200())
				d.wantWait(30*second + scale(mostSpread, u))
				d.advance(30*second + scale(mostSpread, u))
				d.wantWait(0)
				require.False(t, d.p.Held(d.now))
			}
		})
	}
}

// A refusal that comes after others' was told is one of the same round.
func TestRefusedAfterAToldHold(t *testing.T) {
	d := drive(t, even)
	d.get(says(600, minute, 599, minute))
	flight := d.send(1)
	d.apportion(Parts{HeldUntil: d.now.Add(20 * second)})
	d.answer(flight, refuses(clear200(), 30*second))
	require.Zero(t, d.p.hold.rounds)
	d.wantHeld(30 * second)
}

// A told hold on one limit holds nothing that does not use it.
func TestToldHoldOfOneLimit(t *testing.T) {
	d := drive(t, even)
	d.get(Answer{RetryAfter: Unknown, Limits: []Limit{
		{Policy: "a", Quota: 600, Window: minute, Remaining: 599, Reset: minute},
		{Policy: "b", Quota: 600, Window: minute, Remaining: 599, Reset: minute},
	}})
	d.apportion(Parts{Until: Never, Members: 1, Limits: []Part{{Policy: "a", Share: 1, Full: true, Remaining: Unknown, HeldUntil: d.now.Add(minute)}}})
	state := d.p.State(d.now)
	require.LessOrEqual(t, state.HeldUntil, d.now)
	require.Equal(t, d.now.Add(minute), state.Limits[0].HeldUntil)
	require.True(t, state.Limits[0].Agreed)
	require.Zero(t, state.Limits[1].HeldUntil)
	require.False(t, state.Limits[1].Agreed)
}

// How much too early the server tells times is taken over if it is more, and not more than
// a second of it is believed.
func TestToldLateness(t *testing.T) {
	for _, row := range []struct{ told, want time.Duration }{
		{0, 0},
		{-second, 0},
		{math.MinInt64, 0},
		{300 * time.Millisecond, 300 * time.Millisecond},
		{second, second},
		{second + 1, mostSlack},
		{time.Hour, mostSlack},
		{math.MaxInt64, mostSlack},
	} {
		t.Run(row.told.String(), func(t *testing.T) {
			d := drive(t, even)
			d.apportion(Parts{Late: row.told})
			require.Equal(t, row.want, d.p.hold.slack())
			require.Equal(t, row.want, d.p.Usage(d.now).Late)
			d.apportion(Parts{Late: row.told / 2})
			require.Equal(t, row.want, d.p.hold.slack(), "that is less")
		})
	}
}

// What another client was told is left is heard if it is newer and of the same window.
func TestToldRemaining(t *testing.T) {
	const known, heard = 47, 20
	for _, row := range []struct {
		name    string
		refills bool
		change  func(in *Part)
		want    int64
	}{
		{"newer", false, func(*Part) {}, heard},
		{"newer, nothing left", false, func(in *Part) { in.Remaining = 0 }, 0},
		{"now", false, func(in *Part) { in.ToldAt = in.ToldAt.Add(second) }, heard},
		{"of the same moment", false, func(in *Part) { in.ToldAt = in.ToldAt.Add(-second) }, known},
		{"older", false, func(in *Part) { in.ToldAt = in.ToldAt.Add(-2 * second) }, known},
		{"of the future", false, func(in *Part) { in.ToldAt = in.ToldAt.Add(time.Hour) }, known},
		{"never", false, func(in *Part) { in.ToldAt = 0 }, known},
		{"not known", false, func(in *Part) { in.Remaining = Unknown }, known},
		{"less than nothing", false, func(in *Part) { in.Remaining = math.MinInt64 }, known},
		{"more than there can be", false, func(in *Part) { in.Remaining = math.MaxInt64 }, 60},
		{"another window", false, func(in *Part) { in.End = in.End.Add(minute) }, known},
		{"no window", false, func(in *Part) { in.End = 0 }, known},
		{"refills", true, func(*Part) {}, known},
		{"refills, as others have found", false, func(in *Part) { in.Refills = true }, known},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(says(60, minute, known, minute))
			if row.refills {
				d.limit().refill.prove()
			}
			d.advance(2 * second)
			in := d.own(60, 60, 1)
			in.Remaining, in.ToldAt = heard, d.now.Add(-second)
			row.change(&in)
			d.agree(in)
			require.Equal(t, row.want, d.limit().left())
			d.send(1)
			require.Equal(t, max(0, row.want-1), d.limit().left(), "less what is sent from then on")
			d.get(says(60, minute, 7, 50*second))
			require.Equal(t, int64(7), d.limit().left(), "an answer of one's own is newer still")
		})
	}
}

// While an own request is under way it is not known whether others' answers count it.
func TestToldRemainingWhileAnAnswerIsAwaited(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 47, minute))
	flight := d.send(1)
	d.advance(2 * second)
	in := d.own(60, 60, 1)
	in.Remaining, in.ToldAt = 20, d.now.Add(-second)
	d.agree(in)
	require.Equal(t, int64(46), d.limit().left())
	d.answer(flight, says(60, minute, 19, 58*second))
	require.Equal(t, int64(19), d.limit().left())
	require.Zero(t, d.limit().refill.evidence)
}

// What was told before a window began is not of that, whoever thinks so.
func TestToldRemainingOfTheWindowBefore(t *testing.T) {
	for _, row := range []struct {
		name string
		told time.Duration // before the window's end, or after it
		want int64
	}{{"before", -second / 10, 60}, {"after", second / 10, 0}} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(says(60, minute, 59, minute))
			end := d.limit().end.hi
			d.now = end.Add(2 * second)
			d.wait(1)
			in := d.own(30, 30, 0.5)
			require.Greater(t, in.End, d.now, "that is the next window's")
			in.Remaining, in.ToldAt = 0, end.Add(row.told)
			d.agree(in)
			require.Equal(t, row.want, d.limit().left())
		})
	}
}

// A clock that is set back breaks nothing.
func TestPartsAsTimeGoesBack(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 59, minute))
	in := d.own(30, 30, 0.5)
	in.Remaining, in.ToldAt = 40, d.now
	d.agree(in)
	d.advance(-10 * minute)
	in.HeldUntil = d.now.Add(second)
	d.agree(in)
	require.True(t, d.agreed())
	require.Equal(t, int64(59), d.limit().left(), "that was told later than now")
	d.proceed()
	d.advance(-2 * day)
	d.apportion(Parts{Until: d.now.Add(second), Members: 2, Limits: []Part{in}})
	d.proceed()
	d.advance(4 * day)
	require.False(t, d.agreed())
	d.proceed()
}
