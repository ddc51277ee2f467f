package pacer

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// several is a success that tells of several limits.
func several(limits ...Limit) Answer { return Answer{RetryAfter: Unknown, Limits: limits} }

func named(policy string, quota int64, window time.Duration, remaining int64, reset time.Duration) Limit {
	return Limit{Policy: policy, Quota: quota, Window: window, Remaining: remaining, Reset: reset}
}

// Of several limits the longest gap counts, and the latest floor.
func TestSeveralPolicies(t *testing.T) {
	d := drive(t, even)
	d.get(several(named("burst", 10, second, 10, second), named("day", 86400/10, day, 8640, day)))
	require.Len(t, d.p.limits, 2)
	d.send(1)
	d.wantWait(10 * second)
	require.Equal(t, "day", d.p.Plan(d.now, 0, &Cost{Requests: 1}).Policy)

	d.get(several(named("burst", 10, second, 0, second), named("day", 8640, day, 0, minute)))
	plan := d.p.Plan(d.now, 0, &Cost{Requests: 1})
	require.GreaterOrEqual(t, plan.At, d.now.Add(minute))
	require.Equal(t, "day", plan.Policy)
	require.True(t, plan.Known)
}

// Each limit has its own credit, so the one that grants the least time decides first.
func TestLeastCreditCounts(t *testing.T) {
	d := drive(t, Config{Burst: 0.1, Jitter: -1})
	limits := several(named("second", 20, second, 20, second), named("hour", 36000, time.Hour, 36000, time.Hour))
	d.get(limits)
	d.advance(minute)
	d.get(limits)
	d.send(1)
	d.send(1)
	d.wantWait(second / 20)
}

// Partition keys are separate limits of one policy.
func TestPartitionKeysAreSeparate(t *testing.T) {
	d := drive(t, even)
	a, b := named("user", 60, minute, 10, minute), named("user", 60, minute, 20, minute)
	a.PartitionKey, b.PartitionKey = "a", "b"
	d.get(several(a, b))
	state := d.p.State(d.now)
	require.Len(t, state.Limits, 2)
	require.Equal(t, int64(10), state.Limits[0].Remaining)
	require.Equal(t, "b", state.Limits[1].PartitionKey)
}

// A policy that is over goes once an answer leaves it out; one that may be in
// force stays.
func TestPolicyNoLongerMentionedIsDropped(t *testing.T) {
	d := drive(t, even)
	d.get(several(named("old", 60, minute, 10, minute), named("long", 60, time.Hour, 10, time.Hour)))
	d.advance(2 * minute)
	d.get(clear200())
	require.Equal(t, 1, d.p.live.len())
	d.get(several(named("new", 60, minute, 59, minute)))
	names := []string{}
	for _, l := range d.p.State(d.now).Limits {
		names = append(names, l.Policy)
	}
	require.ElementsMatch(t, []string{"long", "new"}, names)
}

// At most 16 are kept, and the one told longest ago goes first.
func TestPoliciesAreBounded(t *testing.T) {
	d := drive(t, even)
	for i := range 3 * maxLimits {
		d.get(several(named(fmt.Sprint(i), 60, minute, 59, minute)))
	}
	require.Len(t, d.p.limits, maxLimits)
	for i := range d.p.limits {
		require.Greater(t, d.p.limits[i].seq, uint64(2*maxLimits))
	}
}

// An answer to a request older than the newest one answered changes nothing.
func TestOlderAnswerChangesNothing(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 60, minute))
	a, b := d.send(1), d.send(1)
	d.answer(b, says(60, minute, 58, minute))
	before := d.p.State(d.now)
	d.answer(a, says(6, second, 1, second))
	before.InFlight--
	require.Equal(t, before, d.p.State(d.now))
}

// Unless it refuses.
func TestOlderRefusalHolds(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 60, minute))
	a, b := d.send(1), d.send(1)
	d.answer(b, says(60, minute, 58, minute))
	d.answer(a, refuses(says(60, minute, 1, second), 20*second))
	d.wantHeld(20 * second)
	require.Equal(t, int64(58), d.limit().left(), "but its numbers are old")
}

// Cancel gives back units, the slot on the line and the place.
func TestCancelGivesEverythingBack(t *testing.T) {
	for _, row := range []struct {
		name         string
		before, cost int64
	}{
		{"same cost", 1, 1},
		{"costly after cheap", 1, 7},
		{"cheap after costly", 7, 1},
		{"free", 3, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, Config{Burst: 0.1, Jitter: -1})
			d.get(says(600, minute, 600, minute))
			d.advance(second)
			d.send(row.before)
			slot := func() Instant { return d.need().slots[0].at }
			line, units, left := slot(), d.limit().units, d.limit().left()

			ticket := d.send(row.cost)
			d.p.Cancel(d.now, &ticket)
			require.Equal(t, line, slot())
			require.Equal(t, units, d.limit().units)
			require.Equal(t, left, d.limit().left())
			require.Equal(t, int64(1), d.p.State(d.now).InFlight)
		})
	}
}

// Whatever came after the request that is cancelled.
func TestCancelOfAnOlderRequest(t *testing.T) {
	t.Run("then the younger is answered", func(t *testing.T) {
		d := drive(t, even)
		d.get(says(600, minute, 600, minute))
		a, b := d.send(50), d.send(1)
		d.p.Cancel(d.now, &a)
		d.answer(b, says(600, minute, 500, minute))
		require.Equal(t, int64(500), d.limit().left())
		d.send(1)
		require.Equal(t, int64(499), d.limit().left())
	})
	t.Run("after the younger was answered", func(t *testing.T) {
		d := drive(t, even)
		d.get(says(600, minute, 600, minute))
		a, b := d.send(50), d.send(1)
		d.answer(b, says(600, minute, 500, minute))
		d.p.Cancel(d.now, &a)
		require.Equal(t, int64(500), d.limit().left())
	})
	t.Run("while a hold is on", func(t *testing.T) {
		d := drive(t, even)
		d.get(says(60, minute, 60, minute))
		d.advance(time.Hour)
		a, b := d.send(1), d.send(1)
		d.u = 0.9
		d.answer(a, refuses(clear200(), 10*second))
		wait := d.wait(1)
		d.p.Cancel(d.now, &b)
		d.wantWait(wait)
	})
}

// A lost request counts as sent, and its place is free once it is released.
func TestLostCountsAsSent(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 60, minute))
	ticket := d.send(1)
	d.p.Lost(d.now, &ticket)
	require.Equal(t, int64(1), d.p.State(d.now).InFlight)
	d.p.Release()
	require.Zero(t, d.p.State(d.now).InFlight)
	require.Equal(t, int64(59), d.limit().left())
}

// Those who wait behind others are planned at the pace.
func TestPlanAhead(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 60, minute))
	d.send(1)
	at := d.p.Plan(d.now, 0, &Cost{Requests: 1}).At
	require.InDelta(t, 30, d.p.Plan(d.now, 30, &Cost{Requests: 1}).At.Sub(at).Seconds(), 0.1)
}

func TestIdle(t *testing.T) {
	d := drive(t, even)
	require.True(t, d.p.Idle(d.now), "nothing is known")
	ticket := d.send(1)
	require.False(t, d.p.Idle(d.now), "in flight")
	d.answer(ticket, says(60, minute, 59, minute))
	require.False(t, d.p.Idle(d.now), "a window is on")
	d.advance(minute + 1)
	require.True(t, d.p.Idle(d.now))
	d.get(refuses(clear200(), time.Hour))
	require.False(t, d.p.Idle(d.now), "a hold is on")
	d.advance(time.Hour + mostSlack)
	require.True(t, d.p.Idle(d.now))
}

// What is known of a limit keeps a partition for as long as it is worth it.
func TestIdleAfter(t *testing.T) {
	const year = 365 * day
	for _, row := range []struct {
		name   string
		answer Answer
		want   time.Duration
	}{
		{"the window that is on", says(60, minute, 59, 10*second), minute},
		{"its end", says(60, minute, 59, 5*minute), 5 * minute},
		{"a day, where something is left", says(1000, 30*day, 1, 20*day), day},
		{"its end, where nothing is", says(1000, 30*day, 0, 20*day), 20 * day},
		{"a day, of a window of years", says(1000, 10*year, 1, Unknown), day},
		{"a day, of a window of years without an end", says(1000, 10*year, 0, Unknown), day},
		{"its end, of a window of years", says(1000, 10*year, 0, 20*day), 20 * day},
		{"a day, of a policy", says(1000, 10*year, Unknown, Unknown), day},
	} {
		for _, watched := range []bool{false, true} {
			t.Run(row.name, func(t *testing.T) {
				d := drive(t, even)
				d.get(row.answer)
				d.advance(row.want)
				require.False(t, d.p.Idle(d.now))
				d.advance(1)
				if watched {
					d.p.State(d.now) // which begins a new window
				}
				require.True(t, d.p.Idle(d.now))
			})
		}
	}
}

// A fresh client has its credit, too: half with the first reading that names a
// limit, half with the second.
func TestFirstCreditIsGrantedInHalves(t *testing.T) {
	d := drive(t, Config{Burst: 0.1, Jitter: -1})
	for _, atOnce := range []int{5, 5} {
		d.get(says(100, 100*second, 100, 100*second))
		d.limit().share = share{}
		n := 0
		for ; d.wait(1) == 0; n++ {
			d.send(1)
		}
		require.InDelta(t, atOnce, n, 1)
	}
}

// A limit that three answers in a row leave out does not apply to what is sent
// now, unless it was used up.
func TestPolicyLeftOutIsSilent(t *testing.T) {
	for _, row := range []struct {
		name      string
		remaining int64
		silent    bool
	}{{"some left", 1, true}, {"used up", 0, false}} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(several(named("search", 4, minute, row.remaining, minute)))
			for range silentMost {
				d.answer(d.p.Send(d.now, &Cost{Requests: 1}, d.u), clear200())
			}
			require.Equal(t, row.silent, d.silent())
			require.Equal(t, row.silent, d.need().gap == 0)
			d.get(several(named("search", 4, minute, 1, minute)))
			require.False(t, d.silent(), "it speaks again")
		})
	}
}

// Limits without a name are told apart by their quotas.
func TestNamelessLimitsOfSeveralRoutes(t *testing.T) {
	d := drive(t, even)
	d.get(several(named("", 30, minute, 29, minute)))
	d.get(several(named("", 5000, time.Hour, 4999, time.Hour)))
	d.get(several(named("", 30, minute, 28, minute)))
	require.Len(t, d.p.limits, 2)
}
