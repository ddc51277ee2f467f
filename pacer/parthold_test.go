package pacer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A hold that others met does not move a slot that is after it: where there is one after another,
// each would draw it anew, and the pace would be that of the draws.
func TestToldHoldLeavesLaterSlots(t *testing.T) {
	holds := map[string]func(in Part, until Instant) Parts{
		"on everything": func(in Part, until Instant) Parts {
			return Parts{Until: Never, Members: 100, HeldUntil: until, Limits: []Part{in}}
		},
		"on the limit": func(in Part, until Instant) Parts {
			in.HeldUntil = until
			return Parts{Until: Never, Members: 100, Limits: []Part{in}}
		},
	}
	for name, hold := range holds {
		t.Run(name, func(t *testing.T) {
			d := drive(t, even)
			d.get(says(60, minute, 59, minute))
			in := d.own(1, 1, 0.01)
			in.Refills = true
			d.apportion(hold(in, 0))
			for d.wait(1) == 0 {
				d.send(1)
			}
			slot := d.now.Add(d.wait(1))
			require.Greater(t, slot.Sub(d.now), minute)
			for i := range 40 {
				d.advance(second)
				d.u = float64(i%10) / 10
				d.apportion(hold(in, d.now.Add(4*second)))
				require.True(t, d.p.Held(d.now))
				require.Equal(t, slot, d.now.Add(d.wait(1)))
				if name == "on everything" {
					require.Equal(t, d.now.Add(4*second+scale(mostSpread, d.u)), d.p.base, "requests that use nothing of it come back spread")
				}
			}
			d.apportion(hold(in, slot.Add(second)))
			require.GreaterOrEqual(t, d.now.Add(d.wait(1)), slot.Add(second))
		})
	}
}

// A slot is later than a hold, or not, with its jitter: where many are told of a hold, those whose jitter
// takes them before its end would all come just then.
func TestToldHoldAndJitter(t *testing.T) {
	for _, row := range []struct {
		name  string
		u     float64       // of the last request
		until time.Duration // from the slot without jitter
		moved bool
	}{{"earlier", 0, -second, true}, {"later", 1, second, false}} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, Config{Burst: -1, Jitter: 0.1})
			d.u = row.u
			d.get(says(60, minute, 59, minute))
			in := d.own(1, 1, 0.01)
			in.Refills = true
			d.apportion(Parts{Until: Never, Members: 100, Limits: []Part{in}})
			for d.wait(1) == 0 {
				d.send(1)
			}
			slot := d.wait(1)
			gap := d.limit().gap(d.now)
			in.HeldUntil = d.limit().base.Add(gap + row.until)
			require.Equal(t, row.moved, d.now.Add(slot) < in.HeldUntil)
			d.u = 0.5
			d.apportion(Parts{Until: Never, Members: 100, Limits: []Part{in}})
			if !row.moved {
				d.wantWait(slot)
				return
			}
			d.wantWait(in.HeldUntil.Add(mostPause / 2).Sub(d.now))
		})
	}
}

// Where units come in windows, nobody comes back later than all enter a new one. Else they come back
// spread over an interval.
func TestSpreadAfterAToldHold(t *testing.T) {
	for name, row := range map[string]struct {
		refills bool
		want    time.Duration
	}{"a window": {false, 10 * second}, "refills": {true, mostPause}} {
		t.Run(name, func(t *testing.T) {
			d := drive(t, even)
			d.get(says(60, minute, 59, minute))
			in := d.own(20, 20, 0.01)
			in.Refills, in.HeldUntil = row.refills, d.now.Add(20*second)
			for _, u := range []float64{0, 0.5, 0.75} {
				d.u = u
				in.HeldUntil = in.HeldUntil.Add(second + mostPause)
				d.apportion(Parts{Until: Never, Members: 10, Limits: []Part{in}})
				d.wantWait(in.HeldUntil.Add(scale(row.want, u)).Sub(d.now))
			}
		})
	}
}

// Without a limit, clients come back spread over the interval that was found by trial.
func TestToldHoldWithoutLimits(t *testing.T) {
	d := drive(t, even)
	d.p.trial.rate = 1 / float64(8*second)
	d.u = 0.5
	d.apportion(Parts{HeldUntil: d.now.Add(20 * second)})
	d.wantWait(24 * second)
}

// Times that went from clock to clock differ a little, which makes no hold longer.
func TestToldHoldOfAnotherClock(t *testing.T) {
	for name, held := range map[string]func(until Instant) Parts{
		"on everything": func(until Instant) Parts { return Parts{HeldUntil: until} },
		"on the limit": func(until Instant) Parts {
			return Parts{Limits: []Part{{Policy: "default", Remaining: Unknown, HeldUntil: until}}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t, even)
			d.get(says(60, minute, 59, minute))
			d.u = 0
			until := d.now.Add(20 * second)
			d.apportion(held(until))
			d.apportion(held(until.Add(heldApart)))
			d.wantWait(20 * second)
			d.apportion(held(until.Add(heldApart + 1)))
			d.wantWait(20*second + heldApart + 1)
		})
	}
}
