package pacer_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
)

// scenes bring a partition into different states.
func scenes() map[string]func(d *driver) {
	return map[string]func(d *driver){
		"nothing": func(*driver) {},
		"a window, half used": func(d *driver) {
			for i := range int64(30) {
				d.get(says(60, minute, 59-i, minute))
			}
		},
		"a window, used up": func(d *driver) {
			d.get(says(60, minute, 1, minute))
			d.get(says(60, minute, 0, minute))
		},
		"a shared window":            func(d *driver) { d.beside(3, 60, 20) },
		"a window that is only seen": func(d *driver) { d.get(says(60, unknown, 30, minute)) },
		"a hold":                     func(d *driver) { d.get(refuses(ok(), 30*second)) },
		"a hold of a policy":         func(d *driver) { d.get(refuses(says(60, minute, 0, 30*second), unknown)) },
		"a second look": func(d *driver) {
			lie := refuses(says(60, minute, 0, month), unknown)
			d.get(lie)
			d.answer(d.wantLook(minute), lie)
		},
		"a limit on what is in flight": func(d *driver) { d.get(several(atMost(2, 1))) },
		"a limit that refills": func(d *driver) {
			d.get(says(60, minute, 30, 30*second))
			d.advance(10 * second)
			d.get(says(60, minute, 39, 21*second))
		},
		"refused round after round": func(d *driver) {
			for range 4 {
				d.answer(d.proceed(), bare429())
			}
		},
		"a pace found by trial": func(d *driver) {
			for range 2 {
				for range 20 {
					d.answer(d.proceed(), ok())
					d.advance(second / 4)
				}
				d.answer(d.proceed(), bare429())
			}
			d.answer(d.proceed(), ok())
		},
		"overloaded": func(d *driver) {
			d.get(ok())
			for _, ticket := range d.crowd(8) {
				d.answer(ticket, overloaded(second))
			}
		},
		"tokens": func(d *driver) {
			for left := int64(59_000); left > 50_000; left -= 3000 {
				d.get(tokens(left))
			}
		},
	}
}

// After a restart a partition goes on as if it had only paused. Only the random delays after a hold or at a
// window's beginning may differ, by a second or two.
func TestRestoredPartitionGoesOn(t *testing.T) {
	for name, scene := range scenes() {
		for _, after := range []time.Duration{0, 5 * second, 70 * second, 25 * hour} {
			t.Run(fmt.Sprint(name, ", ", after), func(t *testing.T) {
				stays, leaves := drive(t, even), drive(t, even)
				scene(stays)
				scene(leaves)
				stays.advance(after)
				leaves.restart(after, &even)
				for range 20 {
					require.InDelta(t, stays.wait().Seconds(), leaves.wait().Seconds(), 2+0.02*stays.wait().Seconds())
					a, b := stays.state(), leaves.state()
					require.Len(t, b.Limits, len(a.Limits))
					for i, l := range a.Limits {
						m := b.Limits[i]
						require.Equal(t, l.Remaining, m.Remaining)
						require.InDelta(t, l.Share, m.Share, 0.1)
						require.InEpsilon(t, l.Rate+1e-9, m.Rate+1e-9, 1.1, "another candidate may be believed")
					}
					require.InEpsilon(t, a.Trial+1e-9, b.Trial+1e-9, 0.02)
					answer := ok()
					if len(a.Limits) > 0 && a.Limits[0].Unit == "requests" && name != "a window that is only seen" {
						answer = says(60, a.Limits[0].Window, max(stays.limit().Remaining-1, 0), stays.limit().LatestEnd.Sub(stays.now))
					}
					stays.answer(stays.proceed(), answer)
					leaves.answer(leaves.proceed(), answer)
				}
			})
		}
	}
}

// Clients with the same hold that restart during it resume as spread as without the restart.
func TestRestartedDuringAHold(t *testing.T) {
	for name, answer := range map[string]pacer.Answer{
		"reported nothing": refuses(ok(), 30*second), "a limit": refuses(says(60, minute, 0, 30*second), unknown),
	} {
		var waits []time.Duration
		for _, u := range []float64{0.1, 0.5, 0.9} {
			d := drive(t, even)
			d.u = u
			d.get(answer)
			want := d.wait()
			d.restart(second, &even)
			require.InDelta(t, want.Seconds()-1, d.wait().Seconds(), 0.001, name)
			waits = append(waits, d.wait())
		}
		require.Less(t, waits[0], waits[1], name)
		require.Less(t, waits[1], waits[2], name)
	}
}

// A limit of one route does not stop the others after a restart, nor after a second one before the next request.
func TestRestartedTwiceWithRoutes(t *testing.T) {
	d := routed(t)
	for range 2 {
		d.restart(second, &even)
		require.Less(t, d.waitVia(core), minute)
	}
}

// A snapshot may be asked for with a time that is a little older than the last response.
func TestSnapshotOfAMomentAgo(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 50, minute))
	p, err := pacer.Restore(&even, d.p.Snapshot(d.now.Add(-10*time.Millisecond)), d.now, 0, day)
	require.NoError(t, err)
	require.EqualValues(t, 50, p.State(d.now).Limits[0].Remaining)
}

// Restore returns ErrSnapshot for damaged data, and for a snapshot of another version.
func TestNoSnapshot(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 50, minute))
	data := d.p.Snapshot(d.now)
	noSnapshots := [][]byte{[]byte(`{"Version":1}`), append(data, 0)}
	for i := range data {
		noSnapshots = append(noSnapshots, data[:i])
	}
	for _, data := range noSnapshots {
		_, err := pacer.Restore(&even, data, d.now, 0, day)
		require.ErrorIs(t, err, pacer.ErrSnapshot, "%q", data)
	}
}

// After a restart, a hold on one limit does not stop requests on another route.
func TestRestoredHoldOfALimit(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, hour, 1, hour))
	d.get(refuses(says(60, hour, 0, hour), unknown))
	d.restart(minute, &even)
	d.wantWaitWithin(59*minute, hour+minute)
	require.LessOrEqual(t, d.waitAs(pacer.Cost{Requests: 1, Route: 2}), minute)
}

// A snapshot says that 40 units last for 30 days, which is one in 18 hours. It may be wrong, so a restored client tries
// after an hour.
func TestRestoredWindowIsCheckedInAnHour(t *testing.T) {
	d := drive(t, even)
	d.get(says(40, 30*day, 39, 30*day))
	d.get(says(40, 30*day, 38, 30*day))
	require.Greater(t, d.wait(), 10*hour)
	d.restart(second, &even)
	require.LessOrEqual(t, d.wait(), hour)
}
