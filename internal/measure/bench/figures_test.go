package bench_test

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"net/http"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// The figures of the table.
const (
	refused  = "refused ‰" // per 1000 that were allowed
	used     = "used"      // part of the quota that was used from the first to the last request
	finished = "÷ optimum" // time to the last response, over that of a clairvoyant client
	added    = "added s"   // the same as a difference, where nothing limits
	failed   = "failed ‰"  // calls per 1000 that failed, where the client is as it comes
)

// A column says how a figure is printed and judged.
type column struct {
	name, verb string
	atLeast    bool // more is better
}

func columns() []column {
	return []column{
		{refused, "%.1f", false},
		{used, "%.3f", true},
		{finished, "%.2f", false},
		{added, "%.2f", false},
		{failed, "%.1f", false},
	}
}

// noise is the part of a figure by which its means differ from run to run.
const noise = 0.05

// worse reports whether a is worse than b.
func (c column) worse(a, b float64) bool {
	if c.atLeast {
		return a < b
	}
	return a > b
}

// figures are what was measured, or the bounds of it, by column. What has no meaning for
// a load, or is not bounded, is not there.
type figures map[string]float64

// missed says which bounds f does not meet, as all must have been measured. So is a
// bound by a name that no column has.
func (f figures) missed(bounds figures, columns []column) []string {
	missed := unknown(maps.Keys(bounds), columns)
	for _, c := range columns {
		bound, bounded := bounds[c.name]
		figure, measured := f[c.name]
		if bounded && (!measured || math.IsNaN(figure) || c.worse(figure, bound)) {
			missed = append(missed, fmt.Sprintf("%s: %s, bound %v", c.name, c.cell(f), bound))
		}
	}
	return missed
}

// unknown says which names no column has.
func unknown(names iter.Seq[string], columns []column) []string {
	var unknown []string
	for _, name := range slices.Sorted(names) {
		if !slices.ContainsFunc(columns, func(c column) bool { return c.name == name }) {
			unknown = append(unknown, fmt.Sprintf("there is no column %q", name))
		}
	}
	return unknown
}

// A peer is a kind of client under test.
type peer struct {
	name string
	// asItComes makes one with no field set, patient one that sends each request until it
	// is allowed.
	asItComes, patient func(base http.RoundTripper) http.RoundTripper
}

// epoch is when the first one begins.
var epoch = time.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC)

// measure returns the means of the patient client's runs, and how often the one that is
// as it comes fails.
func (r row) measure(t *testing.T, p peer) figures {
	t.Helper()
	mean := figures{}
	runs := float64(r.runs)
	for run := range r.runs {
		start := epoch.Add(r.period * time.Duration(run) / time.Duration(r.runs))
		f := r.run(t, p.patient, start)
		require.Equal(t, f.Made, f.Served, "%v", f)
		mean[refused] += f.RefusedPerMille() / runs
		if !math.IsNaN(f.Used) {
			mean[used] += f.Used / runs
		}
		switch {
		case r.optimum == nil:
		case r.scenario.Limiter == nil:
			mean[added] += (f.Took - r.optimum(start)).Seconds() / runs
		default:
			mean[finished] += f.Took.Seconds() / r.optimum(start).Seconds() / runs
		}
	}
	f := r.run(t, p.asItComes, epoch)
	mean[failed] = 1000 * float64(f.Made-f.Served) / float64(f.Made)
	return mean
}

func (r row) run(t *testing.T, client func(base http.RoundTripper) http.RoundTripper, start time.Time) ratelimittest.Figures {
	t.Helper()
	s := r.scenario
	s.Start = start
	s.NewClient = func(base http.RoundTripper) *http.Client { return &http.Client{Transport: client(base)} }
	return ratelimittest.Run(t, s)
}

// oneProcessor makes do with one processor until the test ends, of which a bubble does
// not use much more anyway. With two the race detector of Go 1.26 crashes when two
// goroutines of a bubble look at timers of theirs that are over already: both run them
// in one context of the race detector. The SDK makes such timers, see ticking.
func oneProcessor(t *testing.T) {
	t.Helper()
	before := runtime.GOMAXPROCS(1)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}
