package fleet

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/ratelimittest"
)

var long = flag.Bool("fleet.long", false, "measure more processes, at more times in a window")

// TestFleet measures in virtual time how processes share a quota, and with -fleet.long also how they do with the server's
// reports alone. Processes are busy or nearly idle, and join, crash or leave.
func TestFleet(t *testing.T) {
	var table strings.Builder
	for _, row := range fleetRows() {
		if row.long && !*long || (kit.Raced || testing.Short()) && len(row.processes) > 2 {
			continue
		}
		t.Run(row.title(), func(t *testing.T) {
			together := row.measure(t, false)
			_, _ = fmt.Fprintf(&table, "%-60s %v\n", row.title(), together)
			if *long {
				_, _ = fmt.Fprintf(&table, "%60s %v\n", "by headers alone:", row.measure(t, true))
			}
			together.require(t, row.bounds)
		})
	}
	t.Logf("\n%s", table.String())
}

// A fleetRow is a scenario, and bounds for its figures.
type fleetRow struct {
	name string
	scenario
	bounds figures
	long   bool
	phases []time.Duration // from the start of a window; nil: evenly spread
}

func (r *fleetRow) title() string {
	return fmt.Sprintf("%d %s, %s, %d per %v", len(r.processes), r.name, r.algorithm.name, r.quota, r.window)
}

// measure returns the mean of several runs, which begin at different times in a window.
func (r *fleetRow) measure(t *testing.T, alone bool) (mean figures) {
	t.Helper()
	runs := 2
	if *long && len(r.processes) < 1000 {
		runs = 4
	}
	s, phases := r.scenario, r.phases
	s.alone = alone
	for run := range runs {
		if r.phases == nil {
			phases = append(phases, time.Duration(run)*s.window/time.Duration(runs))
		}
	}
	runs = len(phases)
	for _, phase := range phases {
		f := s.run(t, phase)
		mean.refused += f.refused / float64(runs)
		mean.used += f.used / float64(runs)
		mean.jain += f.jain / float64(runs)
		mean.commands += f.commands / float64(runs)
		mean.first, mean.unserved = max(mean.first, f.first), max(mean.unserved, f.unserved)
	}
	return mean
}

// fewUnits returns scenarios with more processes than units in a window.
func fewUnits() []fleetRow {
	const window = 10 * time.Second
	var rows []fleetRow
	for _, n := range []int{30, 60} {
		for _, algorithm := range []algorithm{fixed, linear} {
			row := fleetRow{
				name: "busy",
				scenario: scenario{
					algorithm: algorithm, quota: 20, window: window, processes: make([]process, n),
					from: 6 * window, to: 24 * window,
				},
				bounds: figures{refused: 5, used: 0.95, jain: 0.97},
			}
			if algorithm.name == linear.name { // the goal is 5; members learn late that units come back one by one
				row.bounds.refused = 30
			}
			if n == 60 {
				row.bounds, row.long = figures{refused: 20, used: 0.93, jain: 0.95}, true
			}
			for i := range row.processes {
				row.processes[i].to = row.to
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// wholeSeconds returns scenarios with a server that reports no window, and resets of whole seconds. All processes begin at
// once, also shortly before the end of a window.
func wholeSeconds() []fleetRow {
	const window = 10 * time.Second
	var rows []fleetRow
	for _, n := range []int{2, 8, 30, 40, 80, 200} {
		for _, workers := range []int{1, 2, 4} {
			rows = append(rows, fleetRow{
				name: fmt.Sprintf("busy with %d workers", workers),
				scenario: scenario{
					algorithm: fixed, quota: 100, window: window, dialect: ratelimittest.XRateLimit, workers: workers,
					processes: slices.Repeat([]process{{to: 8 * window}}, n), from: window, to: 8 * window,
				},
				bounds: figures{refused: 1, used: 0.96, first: 1},
				long:   workers != 2 || n == 8 || n == 40 || n == 80,
				phases: []time.Duration{0, 2300 * time.Millisecond, 5100 * time.Millisecond, 7700 * time.Millisecond, 9200 * time.Millisecond},
			})
		}
	}
	return rows
}

// slow returns scenarios like those of whole seconds, where a server takes its time, or where the store and the network are late
// by chance. At the start others' use is then seen before the first part, and responses overtake each other.
func slow() []fleetRow {
	var rows []fleetRow
	for _, row := range wholeSeconds() {
		row.phases, row.long = []time.Duration{0, 7700 * time.Millisecond, 9200 * time.Millisecond}, false
		switch n := len(row.processes); {
		case row.workers != 2:
		case n == 8:
			row.name, row.work, row.bounds = "busy, with responses after 20 ms", 20*time.Millisecond, figures{used: 0.96}
			rows = append(rows, row)
		case n == 30, n == 80:
			row.name, row.late, row.bounds = "busy, with delays of up to 0.6 s", 300*time.Millisecond, figures{refused: 3, used: 0.96}
			rows = append(rows, row)
		}
	}
	return rows
}

// manyRequests returns scenarios with a hundred times as many requests as others have. The load of the store is the same.
func manyRequests() []fleetRow {
	const window = time.Minute
	var rows []fleetRow
	for _, n := range []int{8, 64} {
		s := scenario{algorithm: fixed, quota: int64(n) * 1500, window: window, from: window, to: 3 * window}
		s.processes = slices.Repeat([]process{{to: s.to}}, n)
		rows = append(rows, fleetRow{name: "busy", scenario: s, bounds: figures{refused: 5, used: 0.95, jain: 0.97, commands: mostCommands(n)}, long: n == 64})
	}
	return rows
}

// mostCommands is the most that n busy processes may ask of the store, for each of them and second: a renewal, and
// four agreements of all together.
func mostCommands(n int) float64 { return 1.1 + 4/float64(n) }

// fleetRows are scenarios of 2 to 1000 processes. The figures leave out the first window or two, in which
// processes that start together learn of the limit and of each other.
func fleetRows() []fleetRow {
	const window = time.Minute
	rows := slices.Concat(fewUnits(), manyRequests(), wholeSeconds(), slow())
	for _, n := range []int{2, 8, 64, 1000} {
		for _, algorithm := range []algorithm{fixed, linear} {
			each, from, windows := int64(30), 1, 6
			if n == 1000 { // with six units each, learning takes longer
				each, from, windows = 6, 2, 4
			}
			row := fleetRow{
				scenario: scenario{
					algorithm: algorithm, quota: int64(n) * each, window: window,
					from: time.Duration(from) * window, to: time.Duration(windows) * window,
				},
				bounds: figures{refused: 5, used: 0.95, jain: 0.97},
			}
			soon := window * 7 / 3 // in mid-window
			half := func(change func(*process)) []process {
				all := make([]process, n)
				for i := range all {
					all[i].to = row.to
					if i >= n/2 {
						change(&all[i])
					}
				}
				return all
			}
			for _, kind := range []struct {
				name   string
				change func(*process)
			}{
				{"busy", func(*process) {}},
				{"of which half is nearly idle", func(p *process) { p.rate = float64(each) / window.Seconds() / 10 }},
				{"of which half joins", func(p *process) { p.from = soon }},
				{"of which half crashes", func(p *process) { p.to, p.crashes = soon, true }},
				{"of which half leaves", func(p *process) { p.to = soon }},
			} {
				row.name, row.processes = kind.name, half(kind.change)
				if row.bounds.refused = 5; n == 1000 && kind.name == "of which half joins" {
					row.bounds.refused = 40 // each sends a first request before it can know the limit: 500 at once
				}
				if row.bounds.commands = 0; kind.name == "busy" {
					row.bounds.commands = mostCommands(n)
				}
				row.long = n == 1000 || n == 64 && kind.name != "busy"
				rows = append(rows, row)
			}
		}
	}
	return rows
}
