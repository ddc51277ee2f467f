package bench_test

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/ratelimittest"
)

// These are the names of the table's figures.
const (
	refused  = "refused ‰" // per 1000 that were allowed
	used     = "used"      // part of the quota used between the first and the last request
	finished = "÷ optimum" // time to the last response, divided by a clairvoyant client's
	added    = "added s"   // time to the last response minus a clairvoyant client's, without limits
	failed   = "failed ‰"  // failed calls per 1000, of a client with default settings
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

// noise is the part of a figure by which its mean varies from run to run.
const noise = 0.05

// worse reports whether a is worse than b.
func (c column) worse(a, b float64) bool {
	if c.atLeast {
		return a < b
	}
	return a > b
}

// figures are measurements or bounds, by column. Figures without a meaning for a load, and missing bounds, are left
// out.
type figures map[string]float64

// missed returns the bounds that f does not meet. A bound without a measurement, or without a column, counts as missed.
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

// unknown returns the names without a column.
func unknown(names iter.Seq[string], columns []column) []string {
	var unknown []string
	for _, name := range slices.Sorted(names) {
		if !slices.ContainsFunc(columns, func(c column) bool { return c.name == name }) {
			unknown = append(unknown, fmt.Sprintf("there is no column %q", name))
		}
	}
	return unknown
}

// A peer is a client under test.
type peer struct {
	name string
	// asItComes makes a client with default settings, and patient one that sends each request until it
	// succeeds.
	asItComes, patient func(base http.RoundTripper) http.RoundTripper
}

// epoch is when the first run begins.
var epoch = time.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC)

// measure returns the means of the patient client's runs, and how often the client with default settings fails.
func (r row) measure(t *testing.T, p peer) figures {
	t.Helper()
	mean := figures{}
	runs := float64(r.runs)
	for run := range r.runs {
		start := epoch.Add(r.period * time.Duration(run) / time.Duration(r.runs))
		f := r.run(t, p.patient, start, kit.Chance(t, t.Name(), run))
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
	f := r.run(t, p.asItComes, epoch, kit.Chance(t, t.Name(), r.runs))
	mean[failed] = 1000 * float64(f.Made-f.Served) / float64(f.Made)
	return mean
}

func (r row) run(t *testing.T, client func(base http.RoundTripper) http.RoundTripper, start time.Time, rng *rand.Rand) ratelimittest.Figures {
	t.Helper()
	s := r.scenario
	s.Start = start
	s.NewClient = func(base http.RoundTripper) *http.Client { return &http.Client{Transport: seeded(client(base), rng)} }
	return ratelimittest.Run(t, s)
}

// seeded returns client, with a seed that rng draws if client is headway. The random numbers of other clients cannot be
// seeded.
func seeded(client http.RoundTripper, rng *rand.Rand) http.RoundTripper {
	if transport, isHeadway := client.(*headway.Transport); isHeadway {
		return kit.SeededBy(rng, transport)
	}
	return client
}

// oneProcessor limits the test to one processor. A bubble hardly uses more. With two processors the race detector of
// Go 1.26 crashes when two goroutines of a bubble look at expired timers at the same time. The SDK makes such timers, see
// ticking.
func oneProcessor(t *testing.T) {
	t.Helper()
	before := runtime.GOMAXPROCS(1)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}
