package pacer_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

const month = 31 * day

// wantLook requires that the next request is sent after exactly the given wait, and that the plan is known.
// It sends the request at that time.
func (d *driver) wantLook(after time.Duration) pacer.Ticket {
	d.t.Helper()
	d.wantWait(after)
	require.True(d.t, d.plan().Known)
	d.advance(after - second)
	d.wantWait(second)
	d.advance(second)
	d.wantWait(0)
	return d.send(1)
}

// liars returns wrong responses that would stop all requests for a month.
func liars() map[string]pacer.Answer {
	month := says(100, month, 0, month)
	routed := refuses(several(named("default", 100, minute, 0, 31*day), named("b", 100, minute, 50, minute)), unknown)
	violated := refuses(says(100, minute, 0, 31*day), unknown)
	violated.Violated = []string{"default"}
	return map[string]pacer.Answer{
		"a success": month, "a refusal": refuses(month, unknown), "a refusal of one of two": routed,
		"a refusal that names the policy": violated,
		"no window":                       refuses(says(100, unknown, 0, 31*day), unknown),
		"no quota":                        says(unknown, unknown, 0, 31*day),
	}
}

// The client tries a server that reports a wrong time again after a minute. If the server repeats the
// time, the interval doubles.
func TestSecondLook(t *testing.T) {
	for name, lie := range liars() {
		t.Run(name, func(t *testing.T) {
			d := drive(t, even)
			d.get(lie)
			closed := d.plan()
			require.Contains(t, []pacer.Cause{pacer.CauseHold, pacer.CauseQuota}, closed.Cause)
			require.Equal(t, "default", closed.Policy)
			for _, minutes := range []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024} {
				ticket := d.wantLook(time.Duration(minutes) * minute)
				require.Greater(t, d.wait(), minute, "one at a time")
				d.answer(ticket, lie)
				if !lie.Refused { // after a success the limit may be a bucket that fills slowly
					require.GreaterOrEqual(t, d.wait(), 2*minute)
					break
				}
			}
			d.answer(d.wantLook(d.wait()), says(100, minute, 50, minute))
			require.Less(t, d.wait(), 2*second, "it goes on at the pace")
			if d.get(lie); lie.Refused {
				d.wantLook(minute)
			}
		})
	}
}

// The hold that a second look is to check does not stop the second look, but a Retry-After that has come
// meanwhile does. The hold does stop other requests in flight.
func TestHoldsStopNoSecondLook(t *testing.T) {
	for name, lie := range liars() {
		t.Run(name, func(t *testing.T) {
			d := drive(t, even)
			before := d.crowd(3)
			d.answer(before[0], lie)
			require.Equal(t, lie.Refused, d.p.Stops(d.now, &before[1]))
			look := d.wantLook(minute)
			require.False(t, d.p.Stops(d.now, &look))
			d.answer(before[1], refuses(lie, hour))
			require.True(t, d.p.Stops(d.now, &look))
		})
	}
}

// A used-up limit is removed if the response to a second look does not report it.
func TestSecondLookThatTellsNothing(t *testing.T) {
	for name, lie := range liars() {
		d := drive(t, even)
		d.get(lie)
		d.answer(d.wantLook(minute), ok())
		require.LessOrEqual(t, d.wait(), second, name)
	}
	d := drive(t, even)
	d.get(refuses(says(100, minute, 0, month), unknown))
	cached := ok()
	cached.Indirect = true
	d.answer(d.wantLook(minute), cached)
	require.Greater(t, d.wait(), minute) // a cache's response does not count
}

// A hold from Retry-After is obeyed in full, whatever limits are reported besides.
func TestNoSecondLookBeforeRetryAfter(t *testing.T) {
	for name, lie := range liars() {
		lie.Refused = true
		t.Run(name, func(t *testing.T) {
			d := drive(t, even)
			d.get(refuses(lie, 30*hour))
			require.GreaterOrEqual(t, d.wait(), 30*hour)
			d.restart(second, &even)
			require.GreaterOrEqual(t, d.wait(), 30*hour-2*second)

			d = drive(t, even)
			older := d.crowd(2)
			d.answer(older[1], refuses(lie, unknown))
			d.answer(older[0], refuses(lie, 30*hour))
			require.GreaterOrEqual(t, d.wait(), 30*hour)
		})
	}
	d := drive(t, even)
	d.get(refuses(ok(), month))
	require.GreaterOrEqual(t, d.wait(), month)

	d = drive(t, even) // a Retry-After that comes while the second look is under way
	older := d.crowd(2)
	d.answer(older[0], says(100, month, 0, month))
	look := d.wantLook(minute)
	d.answer(older[1], refuses(ok(), 30*hour))
	d.answer(look, says(100, minute, 50, minute))
	require.GreaterOrEqual(t, d.wait(), 30*hour)

	d = drive(t, even) // for a hold of the fleet, another client takes the second look
	d.allot(limits.Parts{Held: month})
	require.GreaterOrEqual(t, d.wait(), month)
}

// A second look depends only on the limits that the request uses.
func TestSecondLookAtSeveralLimits(t *testing.T) {
	d := drive(t, even)
	a, b := pacer.Cost{Requests: 1, Route: 2}, pacer.Cost{Requests: 1, Route: 3}
	d.getAs(a, several(named("a", 100, month, 0, month)))
	d.advance(minute)
	d.getAs(b, several(named("b", 100, minute, 50, minute)))
	d.wantWaitAs(a, 2*minute) // counted from the request on route b, which was first thought to use limit a
	require.Less(t, d.waitAs(b), 2*second)

	d = drive(t, even) // each limit has its own time, and a request that uses both waits for both
	d.get(several(named("a", 100, month, 0, month), named("b", 100, minute, 50, minute)))
	d.advance(30 * second)
	require.Equal(t, pacer.CauseQuota, d.plan().Cause)
	d.wantWait(30 * second)
}

// A client reports a hold to its fleet only until one minute after its second look. So the other clients
// wait for its result.
func TestSecondLookInAFleet(t *testing.T) {
	d := drive(t, even)
	d.get(refuses(says(100, minute, 0, month), unknown))
	held := d.usage().Limits[0].Held
	require.Equal(t, 2*minute, held)

	e := drive(t, even)
	e.get(says(100, minute, 50, minute))
	in := e.own(50, 50, 0.5)
	in.Held = held
	e.agree(in)
	require.GreaterOrEqual(t, e.wait(), 2*minute)

	d = drive(t, even)
	d.get(refuses(says(100, minute, 0, month), 30*hour))
	require.GreaterOrEqual(t, d.usage().Limits[0].Held, 30*hour)
}
