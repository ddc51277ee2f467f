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

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// These are the names of the figures.
const (
	refused  = "refused ‰"     // per 1000 that were allowed
	finished = "÷ optimum"     // time to the last response, divided by a clairvoyant client's
	added    = "added s"       // time to the last response minus a clairvoyant client's, without limits
	used     = "used"          // part of the quota used between the first and the last request
	busiest  = "busiest tenth" // most requests in any tenth of a window, divided by an even share
	later    = "later"         // busiest tenth after the first tenth of the first window
	evenness = "CV of gaps"    // of the requests' arrivals
	median   = "p50 s"         // time that a call takes longer than without limits
	p99      = "p99 s"
	jain     = "Jain"     // fairness between clients
	failed   = "failed ‰" // failed calls per 1000, of a client with no field set
)

// A column says how a figure is printed and judged.
type column struct {
	name, verb string
	atLeast    bool // more is better
}

func columns() []column {
	return []column{
		{refused, "%.1f", false},
		{finished, "%.2f", false},
		{added, "%.2f", false},
		{used, "%.2f", true},
		{busiest, "%.1f", false},
		{later, "%.1f", false},
		{evenness, "%.2f", false},
		{median, "%.2f", false},
		{p99, "%.2f", false},
		{jain, "%.2f", true},
		{failed, "%.1f", false},
	}
}

// noise is the part of a figure by which its mean varies from run to run.
const noise = 0.05

// slack returns a figure that is worse than f by the noise.
func (c column) slack(f float64) float64 {
	if c.atLeast {
		return f * (1 - noise)
	}
	return f * (1 + noise)
}

func (c column) cell(f figures) string {
	figure, measured := f[c.name]
	if !measured {
		return "–"
	}
	return fmt.Sprintf(c.verb, figure)
}

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
func (f figures) missed(bounds figures) []string {
	missed := unknown(maps.Keys(bounds))
	for _, c := range columns() {
		bound, bounded := bounds[c.name]
		figure, measured := f[c.name]
		if bounded && (!measured || math.IsNaN(figure) || c.worse(figure, bound)) {
			missed = append(missed, fmt.Sprintf("%s: %s, bound %v", c.name, c.cell(f), bound))
		}
	}
	return missed
}

// unknown returns the names without a column.
func unknown(names iter.Seq[string]) []string {
	var unknown []string
	for _, name := range slices.Sorted(names) {
		if !slices.ContainsFunc(columns(), func(c column) bool { return c.name == name }) {
			unknown = append(unknown, fmt.Sprintf("there is no column %q", name))
		}
	}
	return unknown
}

// epoch is when the first run begins.
var epoch = time.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC)

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
