//go:build !race

package pacer_test

import (
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var figuresFile = flag.String("figures", "", "write the figures of TestFigures to this file, as a table in Markdown")

// TestFigures measures whole runs of partitions alone, at one server in virtual time. Random numbers come
// from seeds, so a figure changes only if the pacer does. The test uses only the pacer's older API, so that
// it can measure older versions: see docs/pacing-figures.md.
func TestFigures(t *testing.T) {
	cells := slices.Concat(wantedCells(), keptCells(), shortCells(), windowlessCells(), silentCells(), liesCells())
	rows := make([]string, len(cells))
	t.Cleanup(func() { // after the parallel tests
		if *figuresFile != "" {
			table := "| cell | measured | wanted |\n|:--|:--|:--|\n" + strings.Join(rows, "")
			require.NoError(t, os.WriteFile(*figuresFile, []byte(table), 0o600))
		}
	})
	for i, c := range cells {
		t.Run(c.title(), func(t *testing.T) {
			t.Parallel()
			if testing.Short() && c.load.runs > usualRuns {
				t.Skipf("%d runs are too many for short mode", c.load.runs)
			}
			measured := c.measure(t)
			wanted, bounds := c.wanted.text(true), c.wanted
			if !measured.meet(c.wanted) {
				wanted += " (missed)"
			}
			rows[i] = fmt.Sprintf("| %s | %s | %s |\n", c.title(), measured.text(false), wanted)
			if c.holds != nil {
				bounds = c.holds
			}
			require.True(t, measured.meet(bounds), "%s; wanted: %s", measured.text(false), bounds.text(true))
		})
	}
}

// wantedCells are the cells that the pacer before the model failed. A cell that misses its wanted figures has
// a second bound near the measured ones.
func wantedCells() []cell {
	var (
		second   = []rate{{10, time.Second}}
		few      = []rate{{3, 10 * time.Second}}
		minute   = []rate{{100, time.Minute}}
		hour     = []rate{{60, time.Hour}}
		both     = []rate{{300, time.Minute}, {10, time.Second}}
		strict   = figures{refused: 25}
		together = figures{used: 0.92, jain: 0.95}
		fair     = figures{least: 0.333}
	)
	return []cell{
		{alone(12), "window", second, draft10, figures{finished: 1.17}, nil},
		{alone(12), "log", second, draft10, figures{finished: 1.3}, nil},
		{alone(12), "counter", second, draft10, figures{finished: 1.15}, nil},

		{alone(10), "bucket", few, draft10, figures{finished: 1.1}, nil},
		{alone(10), "GCRA", few, draft10, figures{finished: 1.1}, nil},
		{alone(10), "counter", few, draft10, figures{finished: 1.4}, nil},
		{alone(10), "strict GCRA", few, draft10, strict, nil},
		{alone(10), "GCRA with a penalty", few, draft10, strict, nil},
		{alone(10), "strict log", few, draft10, strict, nil},
		{alone(10), "strict exponential", few, draft10, strict, nil},

		{eightBatches, "window", second, draft10, figures{refused: 200, used: 0.75}, nil},
		{eightBatches, "GCRA", second, draft10, figures{refused: 120, used: 0.85}, nil},
		{eightBatches, "counter", second, draft10, figures{refused: 200, used: 0.7}, nil},
		{eightBatches, "log", second, draft10, figures{refused: 300, used: 0.65}, figures{refused: 300, used: 0.6}},
		{eightBatches, "window", both, draft10, together, figures{used: 0.92, jain: 0.84}},
		{eightBatches, "GCRA", both, draft10, together, figures{used: 0.92, jain: 0.89}},
		{eightBatches, "counter", both, draft10, together, figures{used: 0.85, jain: 0.65}},
		{eightBatches, "log", both, draft10, together, figures{used: 0.84, jain: 0.95}},
		{eightBatches, "log", hour, draft10, figures{refused: 60, used: 0.8}, figures{refused: 72, used: 0.8}},
		{eightBatches, "log", minute, xRateLimit, figures{used: 0.8}, nil},

		{eight, "window", second, draft10, figures{refused: 200, used: 0.75}, nil},
		{eight, "GCRA", second, draft10, figures{refused: 120, used: 0.85}, nil},
		{eight, "counter", second, draft10, figures{refused: 200, used: 0.7}, nil},
		{eight, "log", second, draft10, figures{refused: 300, used: 0.65}, nil},
		{eight, "window", both, draft10, together, nil},
		{eight, "GCRA", both, draft10, together, nil},
		{eight, "counter", both, draft10, together, nil},
		{eight, "log", both, draft10, together, nil},
		{eight, "log", hour, draft10, figures{refused: 60, used: 0.8}, nil},
		{eight, "log", minute, xRateLimit, figures{used: 0.8}, nil},

		{two, "GCRA", minute, draft10, fair, nil},
		{two, "bucket", minute, draft10, fair, nil},
	}
}

// keptCells are the cells whose figures should not change much.
func keptCells() []cell {
	var cells []cell
	for _, row := range []struct {
		server  string
		dialect dialect
		// Bounds about 5 % or 5 ‰ from the measured figures: of one client, of eight with a batch, and of
		// eight without end.
		alone, batches, eight figures
	}{
		{"window", draft10, lone(1.17, 5), shared(5, 0.86, 0.94), shared(8, 0.9, 0.93)},
		{"window", xRateLimit, lone(1.17, 5), shared(5, 0.86, 0.94), shared(9, 0.9, 0.94)},
		{"window by request", draft10, lone(1.17, 5), shared(5, 0.86, 0.94), shared(8, 0.92, 0.94)},
		{"window by request", xRateLimit, lone(1.2, 5), shared(5, 0.86, 0.94), shared(9, 0.91, 0.93)},
		{"GCRA", draft10, lone(1.06, 5), shared(5, 0.93, 0.95), shared(7, 0.94, 0.94)},
		{"GCRA", xRateLimit, lone(1.06, 5), shared(31, 0.92, 0.84), shared(29, 0.94, 0.58)},
		{"counter", draft10, lone(1.07, 5), shared(16, 0.82, 0.84), shared(15, 0.89, 0.9)},
		{"counter", xRateLimit, lone(1.11, 5), shared(17, 0.84, 0.76), shared(14, 0.89, 0.9)},
		{"log", draft10, lone(1.2, 5), shared(27, 0.81, 0.87), shared(29, 0.88, 0.92)},
		{"log", xRateLimit, lone(1.23, 5), nil, nil}, // the other bounds are in wantedCells
		{"bucket", draft10, lone(1.06, 5), shared(5, 0.92, 0.93), shared(10, 0.94, 0.93)},
		{"bucket", xRateLimit, lone(1.06, 5), shared(180, 0.6, 0.75), shared(135, 0.94, 0.7)},
		{"bucket in steps", draft10, lone(1.16, 5), shared(11, 0.89, 0.93), shared(12, 0.94, 0.93)},
		{"bucket in steps", xRateLimit, lone(1.07, 7), shared(51, 0.86, 0.82), shared(47, 0.94, 0.68)},
		{"exponential", draft10, lone(1.21, 5), shared(5, 0.87, 0.95), shared(7, 0.87, 0.93)},
		{"exponential", xRateLimit, lone(1.24, 5), shared(29, 0.79, 0.85), shared(40, 0.9, 0.58)},
	} {
		for _, c := range []cell{
			{alone(10), row.server, []rate{{60, time.Minute}}, row.dialect, nil, row.alone},
			{eightBatches, row.server, []rate{{100, time.Minute}}, row.dialect, nil, row.batches},
			{eight, row.server, []rate{{100, time.Minute}}, row.dialect, nil, row.eight},
		} {
			if c.holds != nil {
				cells = append(cells, c)
			}
		}
	}
	return cells
}

// shortCells are cells of small quotas, and of windows hardly longer than the second to which times are
// rounded.
func shortCells() []cell {
	var cells []cell
	for _, row := range []struct {
		rate
		server   string
		epochs   float64 // one client, ends rounded up, hardly any refusal
		cut      float64 // one client, ends cut
		together figures // four clients, ends cut; nil: not measured
	}{
		{rate{10, time.Second}, "window", 1.3, 1.3, shared(40, 0.7, 0.75)},
		{rate{10, time.Second}, "window by request", 1.45, 1.25, shared(45, 0.55, 0.75)},
		{rate{10, time.Second}, "counter", 1.3, 1.3, shared(50, 0.55, 0.65)},
		{rate{10, time.Second}, "GCRA", 1.1, 1.1, shared(45, 0.75, 0.65)},
		{rate{10, time.Second}, "bucket", 1.1, 1.1, shared(45, 0.75, 0.65)},
		{rate{10, time.Second}, "log", 2.3, 1.4, shared(90, 0.45, 0.75)},
		{rate{40, 2 * time.Second}, "window by request", 1.45, 1.25, shared(30, 0.7, 0.75)},
		{rate{3, 10 * time.Second}, "window by request", 1.5, 1.4, nil},
		{rate{5, time.Minute}, "window by request", 1.25, 1.25, nil},
	} {
		cells = append(cells,
			cell{alone(12), row.server, []rate{row.rate}, xRateLimit, nil, lone(row.epochs, 5)},
			cell{alone(12), row.server, []rate{row.rate}, cutEpochs, nil, lone(row.cut, 15)}) // one of a small quota may be refused
		if row.together != nil {
			cells = append(cells, cell{four, row.server, []rate{row.rate}, cutEpochs, nil, row.together})
		}
	}
	return cells
}

// windowlessCells are cells of servers that report a quota and what remains, but no time.
func windowlessCells() []cell {
	var cells []cell
	for _, row := range []struct {
		rate
		server string
		// One client; eight clients, where measured.
		alone, batches figures
	}{
		{rate{100, time.Minute}, "window", windowless(1.17, 2, 3), shared(5, 0.75, 0.9)},
		{rate{100, time.Minute}, "window by request", windowless(1.17, 2, 3), shared(5, 0.75, 0.9)},
		{rate{100, time.Minute}, "GCRA", windowless(1.06, 2, 3), shared(10, 0.9, 0.6)},
		{rate{100, time.Minute}, "log", windowless(1.4, 5, 8), shared(20, 0.6, 0.7)},
		{rate{10, time.Second}, "window", windowless(1.5, 5, 3.5), figures{refused: 120, used: 0.4}},
		{rate{10, time.Second}, "window by request", windowless(1.6, 5, 3.5), figures{refused: 120, used: 0.25}},
		{rate{10, time.Second}, "GCRA", windowless(1.35, 5, 4), figures{refused: 120, used: 0.4}},
		{rate{20, 4 * time.Second}, "window", windowless(1.35, 5, 4), nil},
		{rate{20, 4 * time.Second}, "GCRA", windowless(1.1, 15, 8), nil},
		{rate{3, 10 * time.Second}, "window", windowless(3.3, 105, 8), nil},
		{rate{3, 10 * time.Second}, "GCRA", windowless(1.8, 95, 9), nil},
		{rate{60, time.Hour}, "window", windowless(1.2, 20, 11), nil},
		{rate{60, time.Hour}, "GCRA", windowless(1.06, 25, 13), nil},
		{rate{1000, 24 * time.Hour}, "window", windowless(1.3, 8, 11), nil}, // the day is not reported, so the pace is that of an hour
		{rate{1000, 24 * time.Hour}, "GCRA", windowless(1.05, 5, 12), nil},
	} {
		for _, d := range []dialect{countsOnly, countsWait, leftOnly} {
			if d == leftOnly && row.window > time.Minute {
				continue // an hour is found after more refusals if not even the quota is reported
			}
			cells = append(cells, cell{alone(12), row.server, []rate{row.rate}, d, nil, row.alone})
			if row.batches != nil && d != leftOnly {
				cells = append(cells, cell{eightBatches, row.server, []rate{row.rate}, d, nil, row.batches})
			}
		}
	}
	return cells
}

func windowless(f, r, b float64) figures { return figures{finished: f, refused: r, busiest: b} }

func lone(f, r float64) figures { return figures{finished: f, refused: r} }

func shared(r, u, j float64) figures { return figures{refused: r, used: u, jain: j} }

// A cell is a load on a server, and bounds of the figures.
type cell struct {
	load    workload
	server  string // name for newLimiter
	rates   []rate // all apply at once, the one with the longest window first
	dialect dialect
	wanted  figures
	holds   figures // instead, if nothing is wanted or it is missed
}

func (c *cell) title() string {
	rates := make([]string, len(c.rates))
	for i, r := range c.rates {
		rates[i] = fmt.Sprintf("%d per %g s", r.quota, r.window.Seconds())
	}
	return fmt.Sprintf("%s, %s, %s, %s", c.load.name, c.server, strings.Join(rates, " and "), c.dialect)
}

// measure returns the mean of the runs, and for least the worst run.
func (c *cell) measure(t *testing.T) figures {
	t.Helper()
	mean := figures{}
	for run := range c.load.runs {
		for name, figure := range c.run(t, uint64(run)+1) {
			worst, measured := mean[name]
			switch {
			case name != least:
				mean[name] += figure / float64(c.load.runs)
			case !measured || figure < worst:
				mean[name] = figure
			}
		}
	}
	return mean
}

const (
	finished = "÷ optimum" // time to the last response, over the optimum: a greedy client that knows the limiter
	refused  = "refused ‰" // per 1000 allowed requests
	busiest  = "busiest"   // most requests in any tenth of a window, over an even share
	used     = "used"      // part of the quota that was used until the last client had sent all
	jain     = "Jain"      // fairness between clients until the first one had sent all
	least    = "least"     // smallest client's requests over the largest client's, in the worst run
)

// Figures are measured values or their bounds.
type figures map[string]float64

var columns = []struct {
	name  string
	fine  float64 // figures are shown in steps of 1/fine
	bound string
}{{finished, 1000, "≤"}, {refused, 10, "≤"}, {busiest, 100, "≤"}, {used, 1000, "≥"}, {jain, 1000, "≥"}, {least, 1000, "≥"}}

func (f figures) text(bounds bool) string {
	var shown []string
	for _, c := range columns {
		if figure, ok := f[c.name]; ok {
			text := strconv.FormatFloat(math.Round(figure*c.fine)/c.fine, 'f', -1, 64)
			if bounds {
				text = c.bound + " " + text
			}
			shown = append(shown, c.name+" "+text)
		}
	}
	return strings.Join(shown, ", ")
}

func (f figures) meet(bounds figures) bool {
	for _, c := range columns {
		bound, bounded := bounds[c.name]
		if met := f[c.name] <= bound && c.bound == "≤" || f[c.name] >= bound && c.bound == "≥"; bounded && !met {
			return false
		}
	}
	return true
}

// liesCells are those of servers whose reports do not fit their refusals.
func liesCells() []cell {
	few := []rate{{3, 10 * time.Second}}
	return []cell{
		{alone(140), "bucket", few, alwaysFull, nil, lone(1.1, 250)},
		{alone(140), "window", few, alwaysFull, nil, lone(1.1, 220)},
		{alone(3), "window", []rate{{1000, time.Hour}}, resetZero, nil, lone(3.4, 60)},
	}
}

// silentCells are cells of servers that only refuse and report no limit.
func silentCells() []cell {
	withoutBurst := []rate{{1, 200 * time.Millisecond}} // nginx: limit_req without burst, 5 per second
	return []cell{
		{alone(300), "GCRA", withoutBurst, bare, lone(1.3, 40), nil},
		{alone(300), "strict GCRA", withoutBurst, bare, lone(1.3, 40), nil},
		{alone(300), "GCRA", withoutBurst, waitOnly, lone(1.67, 25), lone(2.4, 25)}, // a hold of a whole second is long
	}
}
