package bench_test

import (
	"flag"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/page"
)

// Costs are what clients add to an unlimited request, headway first.
type costs []cost

// A cost is the cost of one client, for each load.
type cost struct {
	client                 string
	nanoseconds, allocated map[string]float64 // by the load's title
}

// TestCosts lets each client send a few requests. With -write it measures their costs for a minute, and writes them.
func TestCosts(t *testing.T) {
	t.Setenv("AWS_NEW_RETRIES_2026", "") // the SDK's default
	tries, benchtime := 1, "5x"
	if *write {
		tries, benchtime = 15, "30ms"
	}
	all := measureCosts(t, tries, benchtime)
	require.Len(t, all, len(subjects())-1)
	require.Equal(t, us().name, all[0].client)
	if *write {
		all.write(t, figuresFolder(t))
		t.Logf("\n%s", all.text(t))
	}
}

// measureCosts runs the benchmarks, each as long as -benchtime says. The runs of one client are far apart, so that other
// work of the machine spoils few of them. The best run counts.
func measureCosts(t *testing.T, tries int, benchtime string) costs {
	t.Helper()
	setBenchtime(t, benchtime)
	var all costs
	var runs []func()
	for _, s := range subjects() {
		c := cost{s.name, map[string]float64{}, map[string]float64{}}
		all = append(all, c)
		for _, l := range slices.Concat(byOne(), inUse(), byMany()) {
			c.nanoseconds[l.title] = math.Inf(1)
			runs = append(runs, func() {
				r := testing.Benchmark(s.ready(t, l)) // a new client, so that there is no garbage of an earlier run
				require.Positive(t, r.N, "%s, %s", s.name, l.title)
				c.nanoseconds[l.title] = min(c.nanoseconds[l.title], float64(r.T.Nanoseconds())/float64(r.N))
				c.allocated[l.title] = float64(r.AllocsPerOp())
			})
		}
	}
	for range tries {
		for _, run := range runs {
			run()
		}
	}
	return all.added()
}

func setBenchtime(t *testing.T, value string) {
	t.Helper()
	benchtime := flag.Lookup("test.benchtime").Value
	before := benchtime.String()
	require.NoError(t, benchtime.Set(value))
	t.Cleanup(func() { require.NoError(t, benchtime.Set(before)) })
}

// added returns the costs of the others minus those of the first.
func (all costs) added() costs {
	base, clients := all[0], all[1:]
	for _, c := range clients {
		for load, ns := range base.nanoseconds {
			c.nanoseconds[load] = max(c.nanoseconds[load]-ns, 0)
			c.allocated[load] -= base.allocated[load]
		}
	}
	return clients
}

// costsMark names the marks around the tables of costs, in bench.md and comparison.md.
const costsMark = "costs"

// write puts the costs into bench.md, and their main table into comparison.md.
func (all costs) write(t *testing.T, to page.Folder) {
	t.Helper()
	require.NoError(t, to.Replace("bench.md", costsMark, all.text(t)))
	require.NoError(t, to.Replace("comparison.md", costsMark, "\n"+all.ByOne()+"\n\n"))
}

// text returns the report's part about costs, in Markdown.
func (all costs) text(t *testing.T) string {
	t.Helper()
	return filled(t, "costs.md.tmpl", all)
}

// ByOne returns the table for one goroutine.
func (all costs) ByOne() string { return all.table(byOne()) }

// InUse returns the table for one goroutine and limits that are used.
func (all costs) InUse() string { return all.table(inUse()) }

// ByMany returns the table for many goroutines.
func (all costs) ByMany() string { return all.table(byMany()) }

func (all costs) table(loads []load) string {
	head := []string{"client"}
	for _, l := range loads {
		head = append(head, l.title+": ns", "÷ headway", "allocations")
	}
	rows := [][]string{head}
	for _, c := range all {
		row := []string{inBold(c.client)}
		for _, l := range loads {
			ns := c.nanoseconds[l.title]
			row = append(row, fmt.Sprint(twoDigits(ns)), ratio(ns, all[0].nanoseconds[l.title]), fmt.Sprint(c.allocated[l.title]))
		}
		rows = append(rows, row)
	}
	return page.Table(rows)
}

// twoDigits rounds a number that is not negative to two digits.
func twoDigits(x float64) int {
	if x < 1 {
		return 0
	}
	unit := math.Pow(10, max(math.Floor(math.Log10(x))-1, 0))
	return int(math.Round(x/unit) * unit)
}

// ratio returns the quotient, to two digits.
func ratio(x, to float64) string {
	if to == 0 {
		return "–"
	}
	digits := 2
	if x >= to {
		digits = 1
	}
	return strconv.FormatFloat(x/to, 'f', digits, 64)
}

// GoVersion is the version of Go.
func (costs) GoVersion() string { return runtime.Version() }

// Processors is how many processors the goroutines share.
func (costs) Processors() int { return runtime.GOMAXPROCS(0) }

// Costs are written between the marks of an existing file.
func TestWriteCosts(t *testing.T) {
	const before = "before\n<!-- costs -->\nstale\n<!-- /costs -->\nafter\n"
	folder, pages := page.Folder(t.TempDir()), []string{"bench.md", "comparison.md"}
	for _, name := range pages {
		require.NoError(t, folder.Write(name, before))
	}
	var all costs
	for i, name := range []string{bareBase, "headway", "half", "triple"} {
		c := cost{name, map[string]float64{}, map[string]float64{}}
		for _, l := range slices.Concat(byOne(), inUse(), byMany()) {
			c.nanoseconds[l.title] = 5 + []float64{0, 200, 100, 600}[i]
			c.allocated[l.title] = 1 + float64(i)
		}
		all = append(all, c)
	}
	all.added().write(t, folder)
	for _, name := range pages {
		text, err := folder.Read(name)
		require.NoError(t, err)
		require.Regexp(t, "(?s)^before\n<!-- costs -->\n.*\n<!-- /costs -->\nafter\n$", text)
		require.NotContains(t, text, "stale")
		require.Regexp(t, `\*\*headway\*\* +\| +200 +\| +1\.0 +\| +1 +\| +200`, text)
		require.Regexp(t, `half +\| +100 +\| +0\.50 +\| +2 `, text)
		require.Regexp(t, `triple +\| +600 +\| +3\.0 +\| +3 `, text)
	}
}
