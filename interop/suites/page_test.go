package suites_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/page"
)

// A report has what docs/figures/suites.md says.
type report struct {
	runs   []*run
	Rivals string // the table that a test of the root module writes
}

// writePage writes the page. A table on it is written by a test of the root module, and stays.
func writePage(t *testing.T, runs []*run) {
	t.Helper()
	folder, err := page.Figures()
	require.NoError(t, err)
	before, err := folder.Read("suites.md")
	require.NoError(t, err)
	rivals, err := page.Part(before, "rivals")
	require.NoError(t, err)
	layout, err := template.ParseFiles("testdata/suites.md.tmpl")
	require.NoError(t, err)
	var b strings.Builder
	had := slices.DeleteFunc(runs, func(r *run) bool { return r == nil || r.err != nil })
	require.NoError(t, layout.Execute(&b, report{had, rivals}))
	text := regexp.MustCompile(`\n{3,}`).ReplaceAllString(strings.TrimRight(b.String(), "\n")+"\n", "\n\n")
	require.NoError(t, folder.Write("suites.md", text))
}

// Summary says how many tests differ.
func (p report) Summary() string {
	tests, requests, differ := 0, 0, 0
	for _, r := range p.runs {
		passed, _ := r.without.count()
		tests, requests, differ = tests+passed, requests+r.calls(), differ+len(r.differ())
	}
	return fmt.Sprintf("In %d suites %d tests pass without headway. With it at one of three places %d of them do not, each for a reason below. "+
		"%d requests went through headway.", len(p.runs), tests, differ, requests)
}

// Results returns a table of the suites.
func (p report) Results() string {
	table := [][]string{{"package", "version", "without", "transport", "client", "resending", "requests", "differ"}}
	for _, r := range p.runs {
		passed, all := r.without.count()
		row := []string{r.suite.path(), r.suite.release(), fmt.Sprintf("%d of %d", passed, all)}
		for _, b := range r.beneath {
			// Those that passed when they were run again count as passed, and so do those that fail without headway too.
			row = append(row, fmt.Sprint(passed-len(b.differ)))
		}
		table = append(table, append(row, fmt.Sprint(r.calls()), fmt.Sprint(len(r.differ()))))
	}
	return page.Table(table)
}

// Differences returns a table of the differences.
func (p report) Differences() string {
	table := [][]string{{"package", "test", "where", "reason"}}
	for _, r := range p.runs {
		for _, d := range r.suite.known {
			where := "everywhere"
			if len(d.at) > 0 {
				where = strings.Trim(fmt.Sprint(d.at), "[]")
			}
			table = append(table, []string{r.suite.path(), "`" + d.test + "`", where, d.reason})
		}
	}
	return page.Table(table)
}
