package bench_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"text/template"

	"github.com/stretchr/testify/require"
)

// A report holds all measurements.
type report struct {
	Virtual, OverHTTP []comparison
	Costs, Wire       string // the parts that TestCosts and TestWireCosts have written
}

// write writes bench.md, its pictures, and the tables between the marks in comparison.md: all of them or, if a
// job is missing, none.
func (r *report) write(t *testing.T, folder string) {
	t.Helper()
	page := filepath.Join(folder, "bench.md")
	summary := filepath.Join(folder, "comparison.md")
	r.Costs, r.Wire = read(t, page).between(t, costsMark), read(t, page).between(t, wireMark)
	files := map[string][]byte{
		page:    []byte(r.text(t)),
		summary: replaced(t, summary, "bench", r.summary(t)),
	}
	for _, picture := range pictures() {
		files[filepath.Join(folder, picture.file)] = picture.draw(t, r.of(t, picture.job))
	}
	writeAll(t, files)
}

// missing returns the jobs that have not been done in virtual time.
func (r *report) missing() []string {
	var missing []string
	for _, j := range jobs() {
		if r.index(j) < 0 {
			missing = append(missing, j.title())
		}
	}
	return missing
}

// of returns the comparison of a job in virtual time.
func (r *report) of(t *testing.T, j job) comparison {
	t.Helper()
	i := r.index(j)
	require.GreaterOrEqual(t, i, 0, "nobody has done this: %s", j.title())
	return r.Virtual[i]
}

func (r *report) index(j job) int {
	return slices.IndexFunc(r.Virtual, func(c comparison) bool { return c.title() == j.title() })
}

// text returns the report in Markdown.
func (r *report) text(t *testing.T) string {
	t.Helper()
	layout, err := template.ParseFiles("testdata/bench.md.tmpl")
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, layout.Execute(&b, r))
	return b.String()
}

// Contenders returns the table of the contenders and their set-up.
func (*report) Contenders() (string, error) {
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		return "", err
	}
	rows := [][]string{{"client", "version", "set up as"}}
	for _, c := range everyone() {
		version := "this one"
		if found := regexp.MustCompile(`\s` + regexp.QuoteMeta(c.module) + ` (v\S+)`).FindSubmatch(mod); found != nil && c.module != "" {
			version = string(found[1])
		}
		rows = append(rows, []string{c.cell(), version, c.setUp})
	}
	return markdown(rows), nil
}

// Title returns the description of the job.
func (c comparison) Title() string { return c.title() }

// Table returns a table with a row for each contender.
func (c comparison) Table() string { return markdown(c.rows(c.figures...)) }

// rows returns the table's rows with some of the figures.
func (c comparison) rows(names ...string) [][]string {
	columns := slices.DeleteFunc(comparisonColumns(), func(x column) bool { return !slices.Contains(names, x.name) })
	head := []string{"client"}
	for _, x := range columns {
		head = append(head, x.name)
	}
	rows := [][]string{head}
	for _, r := range c.results {
		row := []string{r.cell()}
		for _, x := range columns {
			row = append(row, x.cell(r.figures))
		}
		rows = append(rows, row)
	}
	return rows
}

// Ahead lists which clients are better than headway, by figure, as far as the table shows it.
func (c comparison) Ahead() string {
	var all strings.Builder
	ours := c.results[0].figures
	for _, x := range comparisonColumns() {
		var who []string
		for _, r := range c.results[1:] { // including headway with other settings
			theirs, measured := r.figures[x.name]
			if measured && x.worse(ours[x.name], theirs) && x.cell(ours) != x.cell(r.figures) {
				who = append(who, r.name)
			}
		}
		if len(who) > 0 {
			fmt.Fprintf(&all, "\n- **%s**: %s", x.name, strings.Join(who, ", "))
		}
	}
	if all.Len() == 0 {
		return " none."
	}
	return "\n" + all.String()
}

// cell returns the contender's name for a table.
func (c contender) cell() string { return inBold(c.name) }

// inBold emphasizes a name if it is headway's.
func inBold(client string) string {
	if strings.HasPrefix(client, headwayPeer.name) {
		return "**" + client + "**"
	}
	return client
}

// markdown returns a table whose first row is the head.
func markdown(rows [][]string) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 1, ' ', 0)
	write := func(cells []string) { _, _ = fmt.Fprintf(w, "| %s\t|\n", strings.Join(cells, "\t| ")) }
	write(rows[0])
	write(slices.Repeat([]string{"---"}, len(rows[0])))
	for _, row := range rows[1:] {
		write(row)
	}
	_ = w.Flush() // writing to b never fails
	return strings.TrimRight(b.String(), "\n")
}
