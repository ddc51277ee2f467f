package pacer

import (
	"testing"
)

// A load is a steady state to measure: what each answer tells.
type load struct {
	name   string
	answer Answer
}

func loads() []load {
	window := named("minute", 6_000_000, minute, 6_000_000, minute)
	return []load{
		{"limits=none", clear200()},
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

// cycle is the life of one request, 10 µs after the last one. The windows of the
// load are used evenly.
func (d *driver) cycle(a Answer) {
	plan := d.p.Plan(d.now, 0, &Cost{Requests: 1})
	d.now = max(d.now.Add(10_000), plan.At)
	ticket := d.p.Send(d.now, &Cost{Requests: 1}, d.u)
	for i := range a.Limits {
		l := &a.Limits[i]
		if l.Reset > 0 {
			begun := Instant(int64(d.now) % int64(l.Window))
			l.Reset = (l.Window - begun.Sub(0)).Truncate(second) + second
			l.Remaining = l.Quota - int64(float64(l.Quota)*float64(begun)/float64(l.Window))
		}
	}
	d.p.Answered(d.now, &ticket, &a, d.u)
	d.p.Release()
}

// steady brings a load into its steady state.
func steady(a Answer) *driver {
	d := &driver{p: New(&Config{}), now: Instant(day), u: 0.5}
	for range 1000 {
		d.cycle(a)
	}
	return d
}

func BenchmarkCycle(b *testing.B) {
	for _, load := range loads() {
		b.Run(load.name, func(b *testing.B) {
			d := steady(load.answer)
			b.ReportAllocs()
			for b.Loop() {
				d.cycle(load.answer)
			}
		})
	}
}

// BenchmarkPlan is what each of many waiting requests costs when all are planned anew.
func BenchmarkPlan(b *testing.B) {
	for _, load := range loads() {
		b.Run(load.name, func(b *testing.B) {
			d := steady(load.answer)
			b.ReportAllocs()
			for b.Loop() {
				d.p.Plan(d.now, 1000, &Cost{Requests: 1})
			}
		})
	}
}
