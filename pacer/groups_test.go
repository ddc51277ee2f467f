//go:build !race

package pacer_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/page"
	"github.com/headway-go/headway/internal/test/sim"
	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/ratelimittest"
)

var (
	groupsRuns = flag.Int("groups.runs", 0, "runs of each cell of TestGroups; the page has 5; 0: it is skipped")
	groupsFrom = flag.Uint64("groups.from", 1, "the first seed; the page has those from 1")
	groupsOnly = flag.String("groups.only", "", "only groups with this in their name")
	groupsPage = flag.String("groups.page", "../docs/figures/pacing.md", "the page, for TestGroups in another checkout")
	groupsOld  = flag.Bool("groups.old", false, "write the columns of the old pacer")
)

// A group is cells whose mean figures matter.
type group struct {
	name  string
	cells []cell
}

func groups() []group {
	algorithms := []string{"window", "window by request", "GCRA", "counter", "log", "bucket", "bucket in steps", "exponential"}
	some := []string{"window", "GCRA", "counter", "log", "bucket"}
	strict := []string{"strict GCRA", "GCRA with a penalty", "strict log", "strict exponential"}
	second, short, minute, large, hour := rate{10, time.Second}, rate{20, 4 * time.Second}, rate{100, time.Minute}, rate{1000, time.Minute}, rate{60, time.Hour}
	many := []rate{second, short, {60, time.Minute}, minute, large, hour}
	fleet := []rate{second, {60, time.Minute}, minute, large, hour}
	cross := func(load workload, servers []string, rates []rate, d dialect) (cells []cell) {
		for _, s := range servers {
			for _, r := range rates {
				cells = append(cells, cell{load: load, server: s, rates: []rate{r}, dialect: d})
			}
		}
		return cells
	}
	change := func(cells []cell, do func(*cell)) []cell {
		for i := range cells {
			do(&cells[i])
		}
		return cells
	}
	withBoth := func(c *cell) { c.rates = []rate{{300, time.Minute}, second} }
	return []group{
		{"lone batches, draft-10", cross(alone(10), algorithms, many, draft10)},
		{"lone batches, 3 per 10 s and 5 per 60 s", cross(alone(10), algorithms, []rate{{3, 10 * time.Second}, {5, time.Minute}}, draft10)},
		{"lone batches, X-RateLimit", cross(alone(10), algorithms, many, xRateLimit)},
		{"lone batches, ends cut to the second", cross(alone(10), some, []rate{second, {60, time.Minute}}, cutEpochs)},
		{"lone batches, counts only", cross(alone(12), some, []rate{second, short, minute, hour}, countsOnly)},
		{"lone batches, r only", cross(alone(12), []string{"window", "GCRA", "log"}, []rate{short, minute}, leftOnly)},
		{"lone batches, r = q always", cross(alone(140), []string{"window", "bucket"}, []rate{{3, 10 * time.Second}}, alwaysFull)},
		{"lone batches, t = 0 always", cross(alone(3), []string{"window"}, []rate{large, {1000, time.Hour}}, resetZero)},
		{"lone batches, refusals count", cross(alone(10), strict, []rate{short, {60, time.Minute}}, draft10)},
		{"lone batches, 64 workers, 2 s latency", change(cross(alone(10), some, []rate{minute, large}, draft10), func(c *cell) {
			c.workers, c.latency = 64, 2*time.Second
		})},
		{"lone batches, two policies", change(cross(alone(10), some, []rate{minute}, draft10), withBoth)},
		{"lone batches, 429s for 20 s", change(cross(alone(10), some, []rate{minute}, draft10), func(c *cell) {
			c.change = func(l ratelimittest.Limiter, begun time.Time) ratelimittest.Limiter {
				return sim.PushBack(l, begun.Add(210*time.Second), begun.Add(230*time.Second))
			}
		})},
		{"fleets, draft-10", cross(eight, algorithms, fleet, draft10)},
		{"batches of fleets, draft-10", cross(eightBatches, algorithms, fleet, draft10)},
		{"fleets, X-RateLimit", cross(eight, algorithms, []rate{minute, large}, xRateLimit)},
		{"batches of fleets, counts only", cross(eightBatches, some, []rate{minute}, countsOnly)},
		{"fleets, two policies", change(cross(eight, some, []rate{minute}, draft10), withBoth)},
		{"fleets, the quota is halved", change(cross(eight, some, []rate{minute}, draft10), func(c *cell) { c.server += " halved" })},
		{"two clients", cross(two, some, []rate{minute}, draft10)},
		{"Retry-After only, alone", cross(alone(10), some, []rate{minute, large}, waitOnly)},
		{"Retry-After only, fleets", cross(eight, some, []rate{minute, large}, waitOnly)},
		{"Retry-After only, no burst, alone", cross(alone(300), []string{"GCRA"}, []rate{{1, 200 * time.Millisecond}}, waitOnly)},
		{"bare 429s, alone", cross(alone(10), some, []rate{minute, large}, bare)},
		{"bare 429s, fleets", cross(eight, some, []rate{minute, large}, bare)},
		{"bare 429s, no burst, alone", cross(alone(300), []string{"GCRA"}, []rate{{1, 200 * time.Millisecond}}, bare)},
		{hidden, nil},
	}
}

const hidden = "8 in flight, never reported, alone"

// TestGroups computes the mean figures of groups of cells, and fails if one is clearly worse than in
// docs/figures/pacing.md. With -write it writes them into the page, and the table of TestStabilises. It needs a
// -groups.runs: as many runs as the page has take half a minute.
func TestGroups(t *testing.T) {
	if *groupsRuns < 1 {
		t.Skip("it runs with -groups.runs")
	}
	content, err := os.ReadFile(*groupsPage)
	require.NoError(t, err)
	text := string(content)
	shown := rowsOf(text)
	var worseGroups []string
	all := head("group", "refused ‰, old", "new", "÷ optimum, old", "new", "used, old", "new", "Jain, old", "new", "worse")
	for _, g := range groups() {
		if !matches(g.name, *groupsOnly) {
			continue
		}
		f := g.figures(t)
		row := append(shown[g.name], make([]string, 10)...)[:10]
		row[0] = g.name
		for i, figure := range f.columns() {
			at := 2*i + 2
			if *groupsOld {
				at--
			}
			if !*write && row[at] != "" && *groupsRuns >= 5 { // the mean of fewer is by chance
				require.False(t, figure.isWorse(number(row[at])), "%s, %s: %v, and %v in the page", g.name, (*all)[0][at-1], figure.text(), row[at])
			}
			row[at] = figure.text()
		}
		var worse []string
		for i, figure := range f.columns() {
			if old := row[2*i+1]; old != "" && figure.isWorse(number(old)) && !*groupsOld {
				worse = append(worse, figure.name)
			}
		}
		if row[9] = strings.Join(worse, ", "); row[9] != "" {
			worseGroups = append(worseGroups, fmt.Sprintf("- %s: %s\n", g.name, row[9]))
		}
		*all = append(*all, row)
		t.Log(strings.Join(row, " | "))
	}
	if *write && *groupsOnly == "" {
		summary := fmt.Sprintf("\n%d of %d groups are worse by more than a bound:\n\n%s", len(worseGroups), len(*all)-1, strings.Join(worseGroups, ""))
		text, err = page.WithPart(text, "groups", "\n"+all.String()+summary)
		require.NoError(t, err)
		text, err = page.WithPart(text, "stabilises", "\n"+stabilises(t, rowsOf(text)).String())
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(*groupsPage, []byte(text), 0o644)) //nolint:gosec // for all to read
	}
}

// figures returns the means over all runs of all cells.
func (g *group) figures(t *testing.T) figures {
	t.Helper()
	if g.name == hidden {
		return hiddenPlaces(4 * *groupsRuns)
	}
	var sum figures
	var mu sync.Mutex
	var wg sync.WaitGroup
	gate := make(chan bool, runtime.NumCPU())
	n := float64(len(g.cells) * *groupsRuns)
	for _, c := range g.cells {
		gate <- true
		wg.Go(func() {
			defer func() { <-gate }()
			for run := range *groupsRuns {
				f := c.run(t, *groupsFrom+uint64(run))
				mu.Lock()
				sum = figures{sum.refused + f.refused/n, sum.finished + f.finished/n, sum.used + f.used/n, sum.jain + f.jain/n}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return sum
}

// A column is a figure as the page shows it.
type column struct {
	name   string
	value  float64 // NaN: it does not apply
	format string
	sign   float64 // −1: more is better
	part   float64 // a figure is worse if it is off by more than this part and
	units  float64 // this much
}

func (f *figures) columns() []column {
	return []column{
		{"refused", f.refused, "%.1f", 1, 0.25, 1},
		{"÷ optimum", f.finished, "%.3f", 1, 0.02, 0},
		{"used", f.used, "%.3f", -1, 0, 0.02},
		{"Jain", f.jain, "%.3f", -1, 0, 0.05},
	}
}

func (s *column) text() string {
	if math.IsNaN(s.value) {
		return "–"
	}
	return fmt.Sprintf(s.format, s.value)
}

// isWorse reports whether the figure is worse than another one by more than the bounds.
func (s *column) isWorse(than float64) bool {
	off := s.sign * (s.value - than)
	return off > s.part*than && off > s.units
}

// stabilises returns how many scenes of TestStabilises fail, by the way in which the server reports its limit.
func stabilises(t *testing.T, rows map[string][]string) *table {
	t.Helper()
	all := head("the server tells", "scenes", "failed, old", "new")
	var runs, failed [reportings]int
	for seed := range uint64(300) {
		s := newScene(seed)
		runs[s.reports]++
		if s.misses(s.play().result()) {
			failed[s.reports]++
		}
	}
	for way := range reportings {
		row := append(rows[way.String()], make([]string, 4)...)[:4]
		row[0], row[1] = way.String(), fmt.Sprint(runs[way])
		if *groupsOld {
			row[2] = fmt.Sprint(failed[way])
		} else {
			row[3] = fmt.Sprint(failed[way])
		}
		*all = append(*all, row)
	}
	return all
}

// rowsOf returns the rows of all tables of a page by their first cells.
func rowsOf(text string) map[string][]string {
	rows := map[string][]string{}
	for line := range strings.Lines(text) {
		if cells := strings.Split(strings.Trim(line, "| \n"), " | "); len(cells) > 1 {
			rows[cells[0]] = cells
		}
	}
	return rows
}

func number(text string) (n float64) {
	if _, err := fmt.Sscan(text, &n); err != nil {
		return math.NaN()
	}
	return n
}

// hiddenPlaces returns what a limit of 8 in flight that is never reported costs a new client with 200 requests.
func hiddenPlaces(runs int) figures {
	refused, took := 0.0, 0.0
	for seed := range uint64(runs) {
		rng := rand.New(rand.NewPCG(seed, 3))
		inside := 0
		b := &busy{partition: pacer.New(&pacer.Config{Chance: rng.Float64}), workers: 200, clock: at}
		b.latency = func(float64) float64 { return 0.005 }
		served, last := 0, 0.0
		b.serve = func(now float64, e *exchange) {
			e.answer = pacer.Answer{RetryAfter: pacer.Unknown}
			if inside >= 8 {
				e.answer.Refused, e.answer.Overloaded, e.answer.RetryAfter = true, true, time.Second
				return
			}
			inside++
			e.work = 0.1 * (0.5 + rng.Float64())
		}
		b.served = func() { inside-- }
		b.returned = func(now float64, e *exchange) {
			if e.answer.Refused {
				refused++
				return
			}
			if served++; served == 200 {
				last = now
			}
		}
		b.unsent = func() int { return 200 - served - b.inFlight }
		b.run(600)
		took += last / (200 * 0.11 / 8)
	}
	return figures{refused / 0.2 / float64(runs), took / float64(runs), math.NaN(), math.NaN()}
}
