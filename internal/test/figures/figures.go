// Package figures reads the figures of runs of ratelimittest, and holds them to bounds. Suites and programs that measure
// share it.
package figures

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/headway-go/headway/ratelimittest"
)

// These are the names of the figures.
const (
	Refused  = "refused ‰"     // requests, per 1000 that were allowed
	Failed   = "failed ‰"      // calls that were not served, per 1000
	Finished = "÷ optimum"     // time to the last response, divided by a clairvoyant greedy client's
	Added    = "added s"       // time to the last response minus a clairvoyant client's
	Used     = "used"          // part of the quota used between the first and the last request
	Busiest  = "busiest tenth" // most requests in any tenth of a window, divided by an even share
	Later    = "later"         // busiest tenth after the first tenth of the first window, which has the first burst
	Evenness = "CV of gaps"    // of the requests' arrivals
	Median   = "p50 s"         // time that a call takes longer than without limits
	P99      = "p99 s"
	Jain     = "Jain"  // fairness between clients
	Share    = "share" // requests that were allowed, divided by an even share, of clients beside a greedy one
)

// A Column says how a figure is printed and judged.
type Column struct {
	Name    string
	AtLeast bool // more is better: its bound is a lower one

	verb string
}

// Columns returns the columns of all figures, in their order in tables.
func Columns() []Column {
	return []Column{
		{Refused, false, "%.1f"},
		{Finished, false, "%.2f"},
		{Added, false, "%.2f"},
		{Used, true, "%.2f"},
		{Busiest, false, "%.1f"},
		{Later, false, "%.1f"},
		{Evenness, false, "%.2f"},
		{Median, false, "%.2f"},
		{P99, false, "%.2f"},
		{Jain, true, "%.2f"},
		{Share, true, "%.2f"},
		{Failed, false, "%.1f"},
	}
}

// Cell returns the column's figure for a table.
func (c Column) Cell(f Figures) string {
	figure, measured := f[c.Name]
	if !measured {
		return "–"
	}
	return fmt.Sprintf(c.verb, figure)
}

// Worse reports whether a is worse than b.
func (c Column) Worse(a, b float64) bool {
	if c.AtLeast {
		return a < b
	}
	return a > b
}

// Figures are measurements or bounds, by column. Figures without a meaning for a load, and missing bounds, are left
// out.
type Figures map[string]float64

// Of returns the figures of a run of a scenario with a Start, whose clients share a limit.
func Of(run ratelimittest.Figures, s ratelimittest.Scenario, limit ratelimittest.Policy) Figures {
	tenth := limit.Window / 10
	share := float64(limit.Quota) / 10
	later := run.Arrivals.Between(s.Start.Add(tenth), s.Start.Add(math.MaxInt64))
	f := Figures{
		Refused:  run.RefusedPerMille(),
		Failed:   1000 * float64(run.Made-run.Served) / float64(run.Made),
		Used:     run.Used,
		Busiest:  float64(run.Arrivals.Busiest(tenth)) / share,
		Later:    float64(later.Busiest(tenth)) / share,
		Evenness: run.GapCV,
		Median:   run.Median.Seconds(),
		P99:      run.P99.Seconds(),
		Jain:     run.Jain,
	}
	// The optimum is that of one client with the requests of all.
	if all, isBatch := s.Load.(ratelimittest.Batch); isBatch && s.Duration == 0 {
		all.Requests, all.Workers = all.Requests*max(s.Clients, 1), all.Workers*max(s.Clients, 1)
		f.Finish(run.Took, all.Optimum(s.Limiter, s.Start, s.Latency))
	}
	return f
}

// Finish adds the figures of a run that took so long. An optimum that is not known is not positive.
func (f Figures) Finish(took, optimum time.Duration) {
	if optimum > 0 {
		f[Finished], f[Added] = took.Seconds()/optimum.Seconds(), (took - optimum).Seconds()
	}
}

// Add adds a part of other figures, for a mean.
func (f Figures) Add(other Figures, part float64) {
	for name, figure := range other {
		f[name] += figure * part
	}
}

// With returns f with others added or replaced.
func (f Figures) With(others Figures) Figures {
	f = maps.Clone(f)
	maps.Copy(f, others)
	return f
}

// Without returns f without some columns.
func (f Figures) Without(names ...string) Figures {
	f = maps.Clone(f)
	for _, name := range names {
		delete(f, name)
	}
	return f
}

// Missed returns the bounds that f does not meet. A bound without a measurement, or without a column, counts as missed.
func (f Figures) Missed(bounds Figures) []string {
	missed := unknown(maps.Keys(bounds))
	for _, c := range Columns() {
		bound, bounded := bounds[c.Name]
		figure, measured := f[c.Name]
		if bounded && (!measured || math.IsNaN(figure) || c.Worse(figure, bound)) {
			missed = append(missed, fmt.Sprintf("%s: %s, bound %v", c.Name, c.Cell(f), bound))
		}
	}
	return missed
}

// unknown returns the names without a column.
func unknown(names iter.Seq[string]) []string {
	var unknown []string
	for _, name := range slices.Sorted(names) {
		if !slices.ContainsFunc(Columns(), func(c Column) bool { return c.Name == name }) {
			unknown = append(unknown, fmt.Sprintf("there is no column %q", name))
		}
	}
	return unknown
}
