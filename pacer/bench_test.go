package pacer_test

import (
	"testing"
	"time"

	"github.com/headway-go/headway/pacer"
)

// A load is a steady state to measure, by its responses.
type load struct {
	name   string
	answer pacer.Answer
	pause  time.Duration // between two requests
	same   bool          // each response reports the same: a bucket is refilled as fast as it is used
}

func loads() []load {
	window := named("minute", 6_000_000, minute, 6_000_000, minute)
	const pause = 10 * time.Microsecond
	return []load{
		{"limits=none", ok(), pause, false},
		{"limits=window", several(window), pause, false},
		{"limits=window-of-1s", several(named("second", 100_000, second, 100_000, second)), pause, false},
		{"limits=window-shared", several(named("shared", 60_000_000, minute, 60_000_000, minute)), pause, false},
		{"limits=two-windows-and-a-bucket", several(
			window,
			named("day", 8_640_000_000, day, 8_640_000_000, day),
			named("bucket", 100_000, second, 90_000, 0),
		), pause, false},
		{"limits=bucket", says(6000, minute, 5990, minute), 20 * time.Millisecond, true},
		{"limits=bucket-of-unknown-window", says(6000, unknown, 5990, minute), 20 * time.Millisecond, true},
		{"limits=abundant", says(500_000_000_000, minute, 500_000_000_000, minute), time.Microsecond, true},
		{"limits=abundant-of-unknown-window", says(500_000_000_000, unknown, 500_000_000_000, minute), time.Microsecond, true},
	}
}

// cycle runs one request from Take to Release, after the pause of the load. It uses the windows of the load
// evenly.
func (d *driver) cycle(l *load) {
	var ticket pacer.Ticket
	var plan pacer.Plan
	a := &l.answer
	d.now = d.now.Add(l.pause)
	for !d.p.Take(d.now, &one, &ticket, &plan) {
		d.now = plan.At
	}
	for i := range a.Limits {
		if in := &a.Limits[i]; in.Reset > 0 && !l.same {
			begun := d.now % pacer.Instant(in.Window)
			in.Reset = (in.Window - time.Duration(begun)).Truncate(second) + second
			in.Remaining = in.Quota - int64(float64(in.Quota)*float64(begun)/float64(in.Window))
		}
	}
	d.p.Answered(d.now, &ticket, a)
	d.p.Release()
}

// steady brings a load into its steady state.
func steady(tb testing.TB, l *load) *driver {
	tb.Helper()
	d := drive(tb, pacer.Config{})
	d.now = pacer.Instant(day)
	for range 1000 {
		d.cycle(l)
	}
	return d
}

func BenchmarkCycle(b *testing.B) {
	for _, load := range loads() {
		b.Run(load.name, func(b *testing.B) {
			d := steady(b, &load)
			b.ReportAllocs()
			for b.Loop() {
				d.cycle(&load)
			}
		})
	}
}

// BenchmarkPlan measures the planning of one of many waiting requests.
func BenchmarkPlan(b *testing.B) {
	for _, load := range loads() {
		b.Run(load.name, func(b *testing.B) {
			d := steady(b, &load)
			b.ReportAllocs()
			for b.Loop() {
				d.p.Plan(d.now, 1000, &one)
			}
		})
	}
}
