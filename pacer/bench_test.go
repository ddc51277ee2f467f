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
}

func loads() []load {
	window := named("minute", 6_000_000, minute, 6_000_000, minute)
	return []load{
		{"limits=none", ok()},
		{"limits=window", several(window)},
		{"limits=window-of-1s", several(named("second", 100_000, second, 100_000, second))},
		{"limits=window-shared", several(named("shared", 60_000_000, minute, 60_000_000, minute))},
		{"limits=two-windows-and-a-bucket", several(
			window,
			named("day", 8_640_000_000, day, 8_640_000_000, day),
			named("bucket", 100_000, second, 90_000, 0),
		)},
	}
}

// cycle runs one request from Plan to Release, 10 µs after the last one. It uses the windows of the load
// evenly.
func (d *driver) cycle(a pacer.Answer) {
	plan := d.p.Plan(d.now, 0, &one)
	d.now = max(d.now.Add(10*time.Microsecond), plan.At)
	var ticket pacer.Ticket
	d.p.Send(d.now, &one, &ticket)
	for i := range a.Limits {
		l := &a.Limits[i]
		if l.Reset > 0 {
			begun := d.now % pacer.Instant(l.Window)
			l.Reset = (l.Window - time.Duration(begun)).Truncate(second) + second
			l.Remaining = l.Quota - int64(float64(l.Quota)*float64(begun)/float64(l.Window))
		}
	}
	d.p.Answered(d.now, &ticket, &a)
	d.p.Release()
}

// steady brings a load into its steady state.
func steady(tb testing.TB, a pacer.Answer) *driver {
	tb.Helper()
	d := drive(tb, pacer.Config{})
	d.now = pacer.Instant(day)
	for range 1000 {
		d.cycle(a)
	}
	return d
}

func BenchmarkCycle(b *testing.B) {
	for _, load := range loads() {
		b.Run(load.name, func(b *testing.B) {
			d := steady(b, load.answer)
			b.ReportAllocs()
			for b.Loop() {
				d.cycle(load.answer)
			}
		})
	}
}

// BenchmarkPlan measures the planning of one of many waiting requests.
func BenchmarkPlan(b *testing.B) {
	for _, load := range loads() {
		b.Run(load.name, func(b *testing.B) {
			d := steady(b, load.answer)
			b.ReportAllocs()
			for b.Loop() {
				d.p.Plan(d.now, 1000, &one)
			}
		})
	}
}
