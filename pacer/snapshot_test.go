package pacer_test

import (
	"fmt"
	"math/rand/v2"
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
		"a shared window":              func(d *driver) { d.beside(3, 60, 20) },
		"a window that is only seen":   func(d *driver) { d.get(says(60, unknown, 30, minute)) },
		"a hold":                       func(d *driver) { d.get(refuses(ok(), 30*second)) },
		"a hold of a policy":           func(d *driver) { d.get(refuses(says(60, minute, 0, 30*second), unknown)) },
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
			d.answerAll(d.crowd(8), overloaded(second))
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

// Requests that were in flight count as sent after a restart. They are no longer in flight, as their
// responses went to the old process.
func TestNothingIsInFlightOnceRestored(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 50, minute))
	d.crowd(2)
	d.restart(second, &even)
	require.Zero(t, d.p.InFlight())
	require.EqualValues(t, 48, d.limit().Remaining)
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

// To take a snapshot changes nothing, and a restored partition has the same snapshot. State, Plan and Usage
// do not change the snapshot.
func TestSnapshotIsPure(t *testing.T) {
	for name, scene := range scenes() {
		t.Run(name, func(t *testing.T) {
			d, other := drive(t, pacer.Config{}), drive(t, pacer.Config{})
			scene(d)
			scene(other)
			data := d.p.Snapshot(d.now)
			for range 5 {
				d.state()
				d.plan()
				usageOf(&d.p, d.now.Add(hour))
				d.p.Plan(d.now.Add(day), 3, &one)
			}
			require.Equal(t, data, d.p.Snapshot(d.now))
			require.Equal(t, other.p.Snapshot(other.now), d.p.Snapshot(d.now))
			p, err := pacer.Restore(&even, data, d.now, 0, 30*day)
			require.NoError(t, err)
			once := p.Snapshot(d.now)
			p, err = pacer.Restore(&even, once, d.now, 0, 30*day)
			require.NoError(t, err)
			require.Equal(t, string(once), string(p.Snapshot(d.now)))
		})
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

// Whatever numbers a snapshot contains, the restored partition has only valid ones. No wait is longer than
// the longest that Restore allows.
func TestOddSnapshots(t *testing.T) {
	for name, scene := range scenes() {
		t.Run(name, func(t *testing.T) {
			d := drive(t, even)
			scene(d)
			data := d.p.Snapshot(d.now)
			for seed := range uint64(100) {
				odd := oddly(data, rand.New(rand.NewPCG(seed, 0)))
				p, err := pacer.Restore(&even, odd, d.now, second, day)
				if err != nil {
					require.ErrorIs(t, err, pacer.ErrSnapshot)
					continue
				}
				r := &driver{t: t, p: p, now: d.now}
				requireSane(t, &r.p, r.now)
				if name != "tokens" { // a request uses thousands of tokens, so its wait may be longer
					require.LessOrEqual(t, r.wait(), 64*day, "%q", odd)
				}
				for range 3 {
					r.answer(r.proceed(), says(60, minute, 30, minute))
				}
				require.LessOrEqual(t, r.wait(), 3*minute, "%q", odd)
			}
		})
	}
}

// oddly replaces some numbers of a snapshot by extreme ones.
func oddly(data []byte, rng *rand.Rand) []byte {
	odd := []string{"0", "-1", "1", "255", "9223372036854775807", "-9223372036854775808", "3600e9", "1e300", "-1e300", "1e-300"}
	nth := 0
	return saved.ReplaceAllFunc(data, func(old []byte) []byte {
		if nth++; nth == 1 || rng.IntN(10) > 0 { // the first is the version
			return old
		}
		return append(old[:1:1], odd[rng.IntN(len(odd))]...)
	})
}

// A partition can be restored with a limit that has a quota of zero and some units left.
func TestSnapshotOfAQuotaOfZero(t *testing.T) {
	d := drive(t, even)
	for range 3 {
		d.get(says(0, minute, 5, 30*second))
	}
	require.NotPanics(t, func() { d.restart(0, &even) })
	d.get(refuses(says(0, minute, 0, 30*second), unknown))
	require.NotPanics(t, func() { d.restart(0, &even) })
	d.wantWaitWithin(30*second, 2*minute)
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

// The rate of a trial survives a restart between a refusal and the next success.
func TestTrialOfARefusedClient(t *testing.T) {
	d := drive(t, pacer.Config{})
	for range 3 {
		for range 30 {
			d.advance(max(d.wait(), second/10))
			d.get(ok())
		}
		d.get(refuses(ok(), second))
	}
	before := d.state().Trial
	require.Positive(t, before)
	d.restart(0, &pacer.Config{})
	d.advance(d.wait())
	d.get(ok())
	require.Positive(t, d.state().Trial)
	require.Less(t, d.state().Trial, 2*before)
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

// A response that takes longer than the pace requires ends a trial later than the next request was due. The trial that
// begins then can be saved.
func TestSnapshotOfASlowTrial(t *testing.T) {
	d := drive(t, even)
	for range 20 {
		d.get(ok())
		d.advance(second)
	}
	d.get(refuses(ok(), 5*second))
	d.advance(d.wait())
	slow := d.send(1)
	d.advance(10 * second)
	d.answer(slow, ok())
	d.advance(d.wait())
	d.send(1)
	d.advance(second)
	d.restart(0, &even)
}
