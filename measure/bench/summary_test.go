package bench_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/page"
)

// summary is what a reader wants to know first: one client on windows and on a bucket, then several on one quota.
func (r *report) summary(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	write := func(title string, rows [][]string) { _, _ = fmt.Fprintf(&b, "\n*%s*\n\n%s\n", title, page.Table(rows)) }
	for _, j := range []job{alone(), onBucket()} {
		rows := r.of(t, j).rows(refused, finished, later, evenness, median, p99)
		rows[0][slices.Index(rows[0], later)] = busiest + ", " + later // the column busiest is left out
		write(j.title(), joined(rows))
	}
	write(shared().title(), joined(r.of(t, shared()).rows(refused, used, jain)))
	return b.String() + "\n"
}

// joined combines the rows of clients with equal figures.
func joined(rows [][]string) [][]string {
	var joined [][]string
	for _, row := range rows {
		same := slices.IndexFunc(joined, func(other []string) bool { return slices.Equal(other[1:], row[1:]) })
		if same >= 0 {
			joined[same][0] += ", " + row[0]
			continue
		}
		joined = append(joined, row)
	}
	return joined
}

// The report is written with its pictures, and the summary between the marks of comparison.md.
func TestWrite(t *testing.T) {
	const summary = "before\n<!-- bench -->\nstale\n<!-- /bench -->\nafter\n"
	folder := page.Folder(t.TempDir())
	require.NoError(t, folder.Write("comparison.md", summary))
	require.NoError(t, folder.Write("bench.md", "stale\n<!-- costs -->\nmeasured before\n<!-- /costs -->\n<!-- wire -->\n<!-- /wire -->\n"))
	var r report
	for _, j := range []job{alone(), onBucket(), shared()} {
		c := comparison{job: j}
		for i, contender := range j.contenders {
			c.results = append(c.results, result{contender, figures{refused: float64(i / 2)}, scattered(i + 1)})
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
	for _, picture := range pictures() {
		_, err := folder.Read(picture.file)
		require.NoError(t, err)
	}
}
