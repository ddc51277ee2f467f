package pacer

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// restart ends the process and begins another on another clock, so much later.
func (d *driver) restart(after time.Duration) {
	d.t.Helper()
	d.logf("restart, %v later", after)
	later := d.now.Add(50 * time.Hour)
	d.p = restarted(d.t, &d.p, d.now, later, after)
	d.now = later
}

// restarted is p, taken at a time and restored so long after it, at now on another clock.
func restarted(t *testing.T, p *Partition, taken, now Instant, after time.Duration) Partition {
	t.Helper()
	stored, err := json.Marshal(p.Snapshot(taken))
	require.NoError(t, err)
	var s Snapshot
	require.NoError(t, json.Unmarshal(stored, &s))
	return Restore(p.cfg, &s, now, after, 30*day)
}

// A program that ends and begins again goes on as if it had only paused.
func TestRestoredPartitionGoesOn(t *testing.T) {
	for _, row := range []struct {
		name   string
		before func(d *driver)
		answer Answer // to what comes after
	}{
		{"nothing known", func(*driver) {}, says(60, minute, 59, minute)},
		{"a window, half used", func(d *driver) {
			for i := range int64(30) {
				d.get(says(60, minute, 59-i, minute))
			}
		}, says(60, minute, 29, minute)},
		{"a window, used up", func(d *driver) { d.get(says(60, minute, 0, minute)) }, says(60, minute, 59, minute)},
		{"a wait for the window's end", func(d *driver) {
			d.get(says(60, minute, 0, minute))
			d.wait(1)
		}, says(60, minute, 59, minute)},
		{"a shared window", func(d *driver) {
			for i := range int64(10) {
				d.get(says(60, minute, 59-3*i, minute))
			}
		}, says(60, minute, 20, minute)},
		{"a window that is only guessed", func(d *driver) { d.get(says(60, Unknown, 30, minute)) }, says(60, Unknown, 29, minute)},
		{"a limit that refills", func(d *driver) {
			d.get(says(60, minute, 59, second))
			d.limit().refill.prove()
			d.get(says(60, minute, 3, second))
		}, says(60, minute, 4, second)},
		{"a hold", func(d *driver) { d.get(refuses(clear200(), 30*second)) }, clear200()},
		{"refused round after round", func(d *driver) {
			for range 4 {
				d.answer(d.proceed(), bare429())
			}
		}, bare429()},
		{"a pace found by trial", func(d *driver) {
			for range 2 {
				for range 20 {
					d.answer(d.proceed(), clear200())
					d.advance(second / 4)
				}
				d.answer(d.proceed(), bare429())
			}
			d.answer(d.proceed(), clear200())
			require.Positive(d.t, d.p.trial.rate)
		}, clear200()},
		{"overloaded", func(d *driver) {
			d.get(clear200())
			var flight []Ticket
			for range 8 {
				flight = append(flight, d.send(1))
			}
			for _, ticket := range flight {
				d.answer(ticket, overloaded(second))
			}
		}, clear200()},
		{"a limit on requests in flight", func(d *driver) {
			a := clear200()
			a.Limits = []Limit{{Unit: ConcurrentRequests, Quota: 2, Remaining: 1, Window: Unknown, Reset: Unknown}}
			d.get(a)
		}, clear200()},
		{"tokens", func(d *driver) {
			a := says(60_000, minute, 50_000, 30*second)
			a.Limits[0].Unit = "tokens"
			for range 3 {
				d.get(a)
				a.Limits[0].Remaining -= 5000
			}
		}, says(60, minute, 59, minute)},
	} {
		for _, after := range []time.Duration{0, 5 * second, 70 * second, 25 * time.Hour} {
			t.Run(fmt.Sprintf("%s/%v", row.name, after), func(t *testing.T) {
				stays, leaves := drive(t, Config{}), drive(t, Config{})
				row.before(stays)
				row.before(leaves)
				stays.advance(after)
				leaves.restart(after)
				for range 20 {
					require.Equal(t, stays.wait(1), leaves.wait(1))
					require.Equal(t, stays.limitStates(), leaves.limitStates())
					a, b := stays.proceed(), leaves.proceed()
					require.Equal(t, stays.wait(1), leaves.wait(1), "beside one in flight")
					stays.answer(a, row.answer)
					leaves.answer(b, row.answer)
				}
			})
		}
	}
}

// limitStates are those of all limits, with the times counted from now.
func (d *driver) limitStates() []LimitState {
	limits := d.p.State(d.now).Limits
	for i := range limits {
		if limits[i].EndsBy > 0 {
			limits[i].EndsBy = Instant(limits[i].EndsBy.Sub(d.now))
		}
		if limits[i].ToldAt > 0 {
			limits[i].ToldAt = Instant(limits[i].ToldAt.Sub(d.now))
		}
	}
	return limits
}

func TestNothingIsInFlightOnceRestored(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 50, minute))
	d.send(1)
	d.send(1)
	d.restart(second)
	require.Zero(t, d.p.InFlight())
	require.Equal(t, int64(48), d.p.State(d.now).Limits[0].Remaining, "they count as sent")
}

// A snapshot loses nothing but what is in flight: whatever fields a partition has,
// and will have.
func TestSnapshotHasEveryField(t *testing.T) {
	now := Instant(10 * time.Hour)
	p := New(&even)
	p.units = &[]string{"tokens", "points", "bytes"}
	p.limits = []limit{{estimate: &estimate{}, aside: &aside{}, refill: refill{still: &still{}}}, {estimate: &estimate{}}}
	p.routes = &routes{all: make([]route, 1)}
	n := uint8(0)
	fill(reflect.ValueOf(&p).Elem(), &n)
	// What is bound to something else.
	p.seq, p.places.most = math.MaxUint8, 3.5
	p.anywhere, p.hold.only, p.places.busy = route{fresh: true, grants: firstGrants}, 2, 0
	p.routes.all, p.routes.sent, p.live = []route{{spared: 1}}, nil, 3
	for i := range p.limits {
		l := &p.limits[i]
		l.id, l.born, l.units = identify(identity{"policy", fmt.Sprint(i)}), p.seq, 0
		l.estimate.sent, l.estimate.told, l.last, l.unsettled = 0, 0, 0, 0
		l.mark, l.began = -l.mark, -l.began
		l.refill.unsure = uint16(-l.mark)
		l.recent.newest = int64(now) / (int64(l.window) / recentSlots)
	}
	p.hold.silent = newBackoff()
	for range 3 {
		p.hold.silent.NextBackOff()
	}

	restored := restarted(t, &p, now, now, 0)
	require.Equal(t, 4*second, restored.hold.silent.NextBackOff())
	require.Equal(t, 4*second, p.hold.silent.NextBackOff(), "to take a snapshot changes nothing")
	restored.hold.silent, p.hold.silent = nil, nil
	p.routes.all, p.routes.probed, p.routes.since = nil, 0, 0
	require.Equal(t, p, restored)
}

// fill sets all fields to values that a partition can have: flags to true, numbers to
// 1 where they are bounded, times and others to ever greater ones.
func fill(v reflect.Value, n *uint8) {
	*n++
	if !v.CanSet() {
		v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
	}
	switch v.Interface().(type) {
	case *Config, []string:
		return
	case Instant, time.Duration:
		v.SetInt(int64(*n) * int64(second))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(field, n)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), n)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			fill(v.Elem(), n)
		}
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString(fmt.Sprint(*n))
	case reflect.Int64, reflect.Int32:
		v.SetInt(int64(*n))
	case reflect.Uint8:
		v.SetUint(1)
	case reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(*n))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(1 / float64(*n))
	}
}

// What no partition can have is not taken over.
func TestOddSnapshots(t *testing.T) {
	now := Instant(48 * time.Hour)
	for _, row := range []struct {
		name string
		odd  Snapshot
		wait time.Duration // at most
	}{
		{"empty", Snapshot{}, 0},
		{"a hold for ever", Snapshot{Hold: HoldSnapshot{Until: Never}}, day},
		{"a slot at the end of time", Snapshot{Base: Never - 1}, day},
		{"a pace of one in a thousand years", Snapshot{At: 1, Base: 1, Owed: 1, Trial: TrialSnapshot{Rate: 1e-30}}, day},
		{"an interval of a year", Snapshot{At: 1, Base: 1, Owed: 1, Limits: []LimitSnapshot{{
			Base: 1, Owed: 1, Quota: 1, Window: 365 * day, Remaining: 1,
		}}}, day},
		{"a window that ends in a thousand years", Snapshot{Limits: []LimitSnapshot{{
			Quota: 60, Window: minute, Remaining: 0, EndBy: Never, Seq: 9,
		}}}, day + minute},
		{"a limit in a unit that is not there", Snapshot{Limits: []LimitSnapshot{{Unit: 7}}}, 0},
		{"more units than there may be", Snapshot{Units: slices.Repeat([]string{"a", "b", "c", "d", "e"}, 20)}, 0},
		{"more limits than there may be", Snapshot{Limits: make([]LimitSnapshot, 100)}, 0},
		{"no places", Snapshot{Places: PlacesSnapshot{Cut: true, Most: math.NaN()}}, 0},
		{"no number", Snapshot{Swing: float32(math.NaN()), Trial: TrialSnapshot{Rate: math.NaN()}}, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := Restore(&even, &row.odd, now, second, day)
			require.LessOrEqual(t, len(p.limits), maxLimits)
			require.LessOrEqual(t, len(p.Units()), MaxOthers)
			wait := p.Plan(now, 0, &Cost{Requests: 1}).At.Sub(now)
			require.LessOrEqual(t, wait, row.wait)
			if row.wait > 0 {
				require.Positive(t, wait, "it is bounded, not ignored")
			}
		})
	}
}
