package bench_test

import (
	"flag"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/figures"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/internal/test/page"
	"github.com/headway-go/headway/ratelimittest"
)

var write = flag.Bool("write", false, "write the pages and pictures of the tests into docs; TestCosts measures for minutes then")

// TestComparison compares headway with other clients, in virtual time, and prints the figures. Some clients use random
// numbers that cannot be seeded, so figures differ a little from run to run. With -short it does a few jobs once.
func TestComparison(t *testing.T) {
	t.Setenv("AWS_NEW_RETRIES_2026", "") // the SDK's default
	var report report
	for _, j := range jobs() {
		if kit.IsBrief() {
			if !j.brief {
				continue
			}
			j.runs = 1
		}
		t.Run(j.title(), func(t *testing.T) { report.Virtual = append(report.Virtual, j.compare(t)) })
	}
	if *write {
		require.Empty(t, report.missing(), "nothing is written without all jobs")
		require.False(t, t.Failed(), "nothing is written")
		report.write(t, figuresFolder(t))
	}
	t.Logf("\n%s", report.text(t))
}

// The report is written with its pictures, and the summary between the marks of comparison.md.
func TestWrite(t *testing.T) {
	const summary = "before\n<!-- bench -->\nstale\n<!-- /bench -->\nafter\n"
	folder := page.Folder(t.TempDir())
	require.NoError(t, folder.Write("comparison.md", summary))
	require.NoError(t, folder.Write("bench.md", "stale\n<!-- costs -->\nmeasured before\n<!-- /costs -->\n"))
	var r report
	for _, j := range []job{alone(), onBucket(), shared()} {
		c := comparison{job: j}
		for i, contender := range j.contenders {
			c.results = append(c.results, result{contender, figures.Figures{figures.Refused: float64(i / 2)}, scattered(i + 1)})
		}
		r.Virtual = append(r.Virtual, c)
	}
	require.Len(t, r.missing(), len(jobs())-len(r.Virtual))
	r.write(t, folder)

	text, err := folder.Read("comparison.md")
	require.NoError(t, err)
	require.Regexp(t, "(?s)^before\n<!-- bench -->\n.*\n<!-- /bench -->\nafter\n$", text)
	require.NotContains(t, text, "stale")
	require.Regexp(t, `\*\*headway\*\*, plain retry +\| +0\.0 `, text)
	text, err = folder.Read("bench.md")
	require.NoError(t, err)
	require.Contains(t, text, "<!-- costs -->\nmeasured before\n<!-- /costs -->\n") // TestCosts writes this part
	require.NotContains(t, text, "stale")
	svg, err := folder.Read(pictures()[0].file)
	require.NoError(t, err)
	require.Contains(t, svg, ">plain retry: 68 refused, at most 4 sent in 6 s, finished after 600 s<")
}

// scattered returns a run with so many allowed and as many refused requests in every third slice.
func scattered(n int) ratelimittest.Figures {
	f := ratelimittest.Figures{Took: 10 * time.Minute}
	for i := range 34 {
		at := epoch.Add(time.Duration(i) * 18 * time.Second)
		for range n {
			f.Arrivals = append(f.Arrivals, ratelimittest.Arrival{Time: at}, ratelimittest.Arrival{Time: at, Allowed: true})
		}
	}
	return f
}

// A page names the clients that are better than headway in its table, and is not written if a client misses its bounds.
func TestJudge(t *testing.T) {
	const refused, used = figures.Refused, figures.Used
	of := func(name string, f figures.Figures) result {
		return result{contender: contender{name: name}, figures: f}
	}
	c := comparison{
		job: job{bounds: map[string]figures.Figures{"worse": {refused: 1}, "headwind": {refused: 0}}},
		results: []result{
			of("headway", figures.Figures{refused: 1, used: 0.9}),
			of("worse", figures.Figures{refused: 2, used: 0.8}),
			of("equal", figures.Figures{refused: 1, used: 0.9}),
			of("better", figures.Figures{refused: 0, used: 1}),
			of("better by too little to see", figures.Figures{refused: 0.99, used: 0.901}),
			of("not measured", figures.Figures{used: 0.95}),
		},
	}
	require.Equal(t, "\n\n- **refused ‰**: better\n- **used**: better, not measured", c.Ahead())
	require.Equal(t, []string{"worse, refused ‰: 2.0, bound 1", `there is no client "headwind"`}, c.missed())
	c.results = c.results[:3]
	require.Equal(t, " none.", c.Ahead())
}
