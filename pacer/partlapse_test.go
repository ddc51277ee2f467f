package pacer

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// When a part is not believed any more, the share that is measured from then on begins at
// it, or at an even one if that is more.
func TestPartLapses(t *testing.T) {
	for _, row := range []struct {
		name    string
		share   float64
		members int
		begins  float64
	}{
		{"less than even", 0.1, 4, 0.25},
		{"even", 0.25, 4, 0.25},
		{"more than even", 0.6, 4, 0.6},
		{"alone", 0.1, 1, 1},
		{"nobody", 0.1, 0, 1},
		{"less than nobody", 0.1, math.MinInt, 1},
		{"next to nothing among many", -1, math.MaxInt, partLeast},
	} {
		for name, look := range map[string]func(d *driver){
			"planned": func(d *driver) { d.wait(1) },
			"shown":   func(d *driver) { d.p.State(d.now) },
			"told":    func(d *driver) { d.p.Usage(d.now) },
		} {
			t.Run(row.name+", "+name, func(t *testing.T) {
				d := drive(t, even)
				d.get(says(1000, time.Hour, 999, time.Hour))
				d.limit().share = share{own: 1, total: 7} // measured before
				in := d.own(100, 100, row.share)
				d.apportion(Parts{Until: d.now.Add(3 * second), Members: row.members, Limits: []Part{in}})
				d.advance(3*second - 1)
				look(d)
				require.True(t, d.agreed())
				require.InDelta(t, max(row.share, partLeast), d.p.State(d.now).Limits[0].Share, 1e-9)
				d.advance(1)
				look(d)
				require.Nil(t, d.limit().part())
				require.False(t, d.agreed())
				if row.begins > partLeast {
					require.InDelta(t, row.begins, d.limit().share.own/d.limit().share.total, 1e-6)
				}
				require.GreaterOrEqual(t, d.p.State(d.now).Limits[0].Share, max(row.begins, shareLeast))
			})
		}
	}
}

// A limit that refills goes on at the pace that it had, until something is learned; and
// with a part again, does not keep what stood for it.
func TestRefillingPartLapses(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 59, minute))
	d.limit().refill.prove()
	in := d.own(0, 0, 0.125)
	parts := Parts{Until: d.now.Add(3 * second), Members: 8, Limits: []Part{in}}
	d.apportion(parts)
	before := d.limit().rate(d.now)
	d.advance(3 * second)
	d.wait(1)
	require.InEpsilon(t, before, d.limit().rate(d.now), 1e-6)
	require.InEpsilon(t, 8, d.limit().refill.slowdown(), 1e-6)

	parts.Until = d.now.Add(3 * second)
	d.apportion(parts)
	require.InEpsilon(t, before, d.limit().rate(d.now), 1e-6)
	parts.Limits[0].Share = 1
	d.apportion(parts)
	require.InEpsilon(t, 8*before, d.limit().rate(d.now), 1e-6)
}

// A client that will be told its parts spends no credit until it is, or for a second.
func TestAwaitedPart(t *testing.T) {
	for _, row := range []struct {
		name string
		told time.Duration // after the first answer; 0: never
		most int           // that go at once then
	}{
		{"never", 0, 11},
		{"soon", second / 2, 11},
		{"soon, and little", second / 2, 4},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, Config{Jitter: -1, Shared: true})
			d.get(says(60, minute, 59, minute))
			d.wantWait(partWait)
			require.False(t, d.agreed())
			u := d.p.Usage(d.now).Limits[0]
			require.Zero(t, u.Units)
			require.Zero(t, u.Next)
			require.Zero(t, u.Share)
			require.True(t, d.p.CanHaveMore())
			if row.told > 0 {
				d.advance(row.told)
				d.agree(d.own(int64(1+row.most), 24, 0.4))
			} else {
				d.advance(partWait)
			}
			n := 0
			for ; d.wait(1) == 0; n++ {
				d.send(1)
			}
			require.Positive(t, n)
			require.LessOrEqual(t, n, row.most, "its credit, and the one that waited")
			require.Equal(t, row.told > 0, d.agreed())
		})
	}
}

// It has its part of the credit then, as to wait for a part is no wait for units.
func TestCreditAfterAnAwaitedPart(t *testing.T) {
	d := drive(t, Config{Jitter: -1, Shared: true})
	d.get(says(60, minute, 59, minute))
	d.wait(1)
	d.advance(second / 2)
	d.agree(d.own(30, 30, 0.5))
	n := 0
	for ; d.wait(1) == 0; n++ {
		d.send(1)
	}
	require.InDelta(t, 5, n, 1)
}

// A refusal while a part is awaited holds no longer than another, and a client that was
// held comes back spread when it is told.
func TestRefusedWhileAPartIsAwaited(t *testing.T) {
	d := drive(t, Config{Jitter: -1, Shared: true})
	flight := d.send(1)
	d.get(says(600, minute, 599, minute))
	d.answer(flight, refuses(clear200(), 5*second))
	d.wantHeld(5 * second)
	d.advance(second / 2)
	d.agree(d.own(300, 300, 0.5))
	d.wantWait(4500*time.Millisecond + mostSpread/2)
}

// A part that was told before a success is not awaited any more.
func TestPartToldBeforeTheFirstSuccess(t *testing.T) {
	d := drive(t, Config{Jitter: -1, Shared: true})
	d.get(refuses(says(60, minute, 30, minute), second))
	d.agree(d.own(30, 30, 0.5))
	d.advance(3 * second)
	d.get(says(60, minute, 29, 57*second))
	require.True(t, d.agreed())
}

// The pace that is shown is that of the share that is.
func TestPaceAfterALapse(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 59, minute))
	in := d.own(60, 60, 0.01)
	d.limit().refill.prove()
	d.apportion(Parts{Until: d.now.Add(second), Members: 2, Limits: []Part{in}})
	d.advance(second)
	pace := d.p.State(d.now).Pace
	require.InDelta(t, pace, d.p.State(d.now).Pace, 0)
}

// It waits once, not for each limit that it hears of later.
func TestPartIsAwaitedOnce(t *testing.T) {
	d := drive(t, Config{Burst: -1, Jitter: -1, Shared: true})
	d.get(says(60, minute, 59, minute))
	d.advance(partWait)
	d.get(says(60, minute, 58, 59*second))
	require.LessOrEqual(t, d.wait(1), 2*second)
	require.Nil(t, d.limit().part())
	d.get(Answer{RetryAfter: Unknown, Limits: []Limit{{Policy: "hour", Quota: 6000, Window: time.Hour, Remaining: 5999, Reset: time.Hour}}})
	for s := d.p.live; s != 0; s = s.rest() {
		require.Nil(t, d.p.limits[s.first()].part())
	}
}
