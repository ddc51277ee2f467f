package interop_test

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit/child"
	"github.com/headway-go/headway/internal/test/page"
)

// A report has all measurements.
type report struct {
	Virtual, OverHTTP []*row
}

// write writes the page.
func (r *report) write(t *testing.T) {
	t.Helper()
	layout, err := template.ParseFiles("testdata/interop.md.tmpl")
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, layout.Execute(&b, r))
	folder, err := page.Figures()
	require.NoError(t, err)
	require.NoError(t, folder.Write("interop.md", b.String()))
}

// Figures returns a table of the clients' figures.
func (*report) Figures(rows []*row) string {
	table := [][]string{{"server", "load", "client", "done", "refused per 100", "÷ even", "busiest tenth", "aims for headway"}}
	server := ""
	for _, r := range rows {
		name := r.server.name
		if name == server {
			name = ""
		}
		server = r.server.name
		wanted := r.server.wanted()
		table = append(table, slices.Concat([]string{name, r.load.name, "**headway**"}, r.headway.cells(wanted), []string{wanted.String()}))
		if r.plainRetry != nil {
			table = append(table, slices.Concat([]string{"", "", plain.name}, r.plainRetry.cells(bounds{undone: 100}), []string{""}))
		}
	}
	return page.Table(table)
}

// cells returns the figures as cells of a row. Figures that miss their bound are marked.
func (f figures) cells(b bounds) []string {
	finished, busiest := "–", "–"
	if f.undone() == 0 { // a client that gives up finishes early
		finished = marked(fmt.Sprintf("%.2f", f.finished), b.finished > 0 && f.finished > b.finished)
	}
	if f.busiest > 0 {
		busiest = fmt.Sprintf("%.1f", f.busiest)
	}
	return []string{
		marked(fmt.Sprintf("%.0f of %.0f", f.served, f.calls), f.undone() > b.undone),
		marked(fmt.Sprintf("%.1f", f.refused), b.refused > 0 && f.refused > b.refused),
		finished,
		busiest,
	}
}

// marked marks a cell if it misses its bound.
func marked(cell string, missed bool) string {
	if missed {
		return cell + " ✗"
	}
	return cell
}

// Summary says how many rows meet their bounds.
func (*report) Summary(rows []*row) string {
	good, done, free := 0, 0, 0
	for _, r := range rows {
		if len(r.headway.missed(r.server.wanted())) == 0 {
			good++
		}
		if r.headway.undone() == 0 {
			done++
		}
		if r.headway.refused == 0 {
			free++
		}
	}
	return fmt.Sprintf("of %d rows headway finishes all calls in %d, is refused nothing in %d, and reaches all aims in %d.", len(rows), done, free, good)
}

// SetUps returns a table of the servers' settings, and of what they report wrongly.
func (*report) SetUps() (string, error) {
	table := [][]string{{"server", "version", "set up as", "what it reports wrongly"}}
	for _, s := range append(handlers(), processes()...) {
		version, err := s.version()
		if err != nil {
			return "", err
		}
		table = append(table, []string{s.name, version, s.setUp, s.wrong})
	}
	return page.Table(table), nil
}

// version returns the version of the module or the program.
func (s server) version() (string, error) {
	if s.program != nil {
		output, err := exec.Command(child.Find(s.program.name), "-v").CombinedOutput() //nolint:noctx // it prints its version and ends
		return regexp.MustCompile(`\d+\.\d+\.\d+`).FindString(string(output)), err
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		return "", err
	}
	found := regexp.MustCompile(`\s` + regexp.QuoteMeta(s.from) + ` (v\S+)`).FindSubmatch(mod)
	if found == nil {
		return "", fmt.Errorf("go.mod has no %s", s.from)
	}
	return string(found[1]), nil
}
