package bench_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is between these in the README is written by intoReadme.
const (
	summaryBegins = "<!-- bench -->\n"
	summaryEnds   = "<!-- /bench -->"
)

// intoReadme is the README with the summary in its place.
func (r *report) intoReadme(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	before, rest, begins := bytes.Cut(text, []byte(summaryBegins))
	_, after, ends := bytes.Cut(rest, []byte(summaryEnds))
	require.True(t, begins && ends, "%s has no place for the figures", name)
	return slices.Concat(before, []byte(summaryBegins+r.summary(t)+summaryEnds), after)
}

// summary is what a reader wants to know first: one client on a window and on a bucket,
// then several on one quota, with what each costs where nothing is limited.
func (r *report) summary(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	write := func(title string, rows [][]string) { _, _ = fmt.Fprintf(&b, "\n*%s*\n\n%s\n", title, markdown(rows)) }
	for _, j := range []job{alone(), onBucket()} {
		rows := r.of(t, j).rows(refused, finished, later, evenness, median, p99)
		rows[0][slices.Index(rows[0], later)] = busiest + ", " + later // without the column that it goes by
		write(j.title(), joined(rows))
	}
	several := r.of(t, shared())
	rows := several.rows(refused, used, jain)
	rows[0] = append(rows[0], costHead()...)
	for i, result := range several.results {
		rows[i+1] = append(rows[i+1], r.costOf(t, result.contender).cells()...)
	}
	write(several.title()+"; and what each adds where nothing is limited", rows)
	return b.String() + "\n"
}

// joined has one row for clients whose figures are the same.
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

// costOf is what a client was measured to cost.
func (r *report) costOf(t *testing.T, of contender) cost {
	t.Helper()
	i := slices.IndexFunc(r.costs, func(c cost) bool { return c.client.name == of.name })
	require.GreaterOrEqual(t, i, 0, "nobody has measured the cost of %s", of.name)
	return r.costs[i]
}

// The report is written with all that belongs to it, and into the README what is between
// the marks; or else nothing is.
func TestWrite(t *testing.T) {
	const readme = "before\n<!-- bench -->\nstale\n<!-- /bench -->\nafter\n"
	folder := filepath.Join(t.TempDir(), "docs")
	require.NoError(t, os.Mkdir(folder, 0o750))
	name := filepath.Join(folder, "..", "README.md")
	require.NoError(t, os.WriteFile(name, []byte(readme), 0o600))
	var r report
	for _, j := range []job{alone(), onBucket(), shared()} {
		c := comparison{job: j}
		for i, contender := range j.contenders {
			c.results = append(c.results, result{contender, figures{refused: float64(i / 2)}, scattered(i + 1)})
		}
		r.Virtual = append(r.Virtual, c)
	}
	for _, c := range contenders() {
		r.costs = append(r.costs, cost{client: c, nanoseconds: [2]float64{300, 1000}})
	}
	require.Len(t, r.missing(), len(jobs())-len(r.Virtual))
	r.write(t, folder)

	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Regexp(t, "(?s)^before\n<!-- bench -->\n.*\n<!-- /bench -->\nafter\n$", string(text))
	require.NotContains(t, string(text), "stale")
	require.Regexp(t, `\*\*headway\*\*, plain retry +\| 0\.0 `, string(text))
	require.Regexp(t, `\*\*headway\*\* +\| 0\.0 .*\| 300 +\| 0 +\| 1000 +\| 0 `, string(text))
	for _, file := range []string{"bench.md", pictures()[0].file, pictures()[1].file} {
		require.FileExists(t, filepath.Join(folder, file))
	}
}
