package pacer

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Numbers that make no sense are taken for the nearest that do.
func TestOddParts(t *testing.T) {
	odd := []float64{0, -1, 1e-300, 0.5, 1, 2, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64}
	units := []int64{0, -1, 1, math.MinInt64, math.MaxInt64}
	for _, refills := range []string{"", "as it has found", "as it is told"} {
		for _, share := range odd {
			for i := range units {
				d := drive(t, Config{})
				d.get(says(60, minute, 30, minute))
				if refills == "as it has found" {
					d.limit().refill.prove()
				}
				d.apportion(Parts{
					Until: Never, Members: []int{0, -1, 1, math.MaxInt, math.MinInt}[i], Late: time.Duration(-units[i]),
					Limits: []Part{{
						Policy: "default", Share: share, Units: units[i], Next: units[len(units)-1-i], Full: i&1 == 0, Refills: refills == "as it is told",
						End: Instant(units[i]), Remaining: units[i], ToldAt: d.now,
					}},
				})
				state := d.p.State(d.now).Limits[0]
				require.True(t, state.Agreed)
				require.True(t, state.Share > 0 && state.Share <= 1, "%+v", state)
				require.False(t, math.IsNaN(state.Rate) || math.IsInf(state.Rate, 0) || state.Rate < 0, "%+v", state)
				require.GreaterOrEqual(t, state.Remaining, int64(0))
				for range 3 {
					plan := d.p.Plan(d.now, 0, &Cost{Requests: 1})
					require.Less(t, plan.At, Never)
					d.now = max(d.now, plan.At)
					d.send(1)
				}
				d.now = Never - 1
				require.False(t, math.IsNaN(d.p.State(d.now).Limits[0].Rate))
			}
		}
	}
}

// Of a limit that is not known nothing is taken over, nor of one that is told of no more.
func TestPartOfAnotherLimit(t *testing.T) {
	for name, change := range map[string]func(*Parts, *Part){
		"another policy":  func(_ *Parts, in *Part) { in.Policy = "other" },
		"no policy":       func(_ *Parts, in *Part) { in.Policy = "" },
		"another key":     func(_ *Parts, in *Part) { in.PartitionKey = "ann" },
		"another unit":    func(_ *Parts, in *Part) { in.Unit = "tokens" },
		"over":            func(p *Parts, _ *Part) { p.Until = Instant(time.Hour) },
		"long over":       func(p *Parts, _ *Part) { p.Until = math.MinInt64 },
		"over since ever": func(p *Parts, _ *Part) { p.Until = 0 },
		"nothing told":    func(p *Parts, _ *Part) { p.Limits = nil },
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t, even)
			d.get(says(60, minute, 30, minute))
			before := d.p.State(d.now)
			in := d.own(1, 1, 0.1)
			parts := Parts{Until: d.now.Add(day), Members: 2}
			change(&parts, &in)
			if name != "nothing told" {
				parts.Limits = []Part{in}
			}
			d.apportion(parts)
			require.Equal(t, before, d.p.State(d.now))
		})
	}
	d := drive(t, even)
	d.apportion(Parts{Until: Never, Limits: []Part{{Policy: "default", Share: 0.5}}})
	require.Empty(t, d.p.State(d.now).Limits, "nothing is known yet")
}
