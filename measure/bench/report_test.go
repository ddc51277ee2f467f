package bench_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/figures"
	"github.com/headway-go/headway/internal/test/page"
)

// A report holds all measurements.
type report struct {
	Virtual []comparison
	Costs   string // what TestCosts has written
}

// figuresFolder returns the folder of the pages.
func figuresFolder(t *testing.T) page.Folder {
	t.Helper()
	folder, err := page.Figures()
	require.NoError(t, err)
	return folder
}

// write writes bench.md, its pictures, and the tables between the marks in comparison.md: all of them or, if a
// job is missing, none.
func (r *report) write(t *testing.T, to page.Folder) {
	t.Helper()
	before, err := to.Read("bench.md")
	require.NoError(t, err)
	r.Costs, err = page.Part(before, costsMark)
	require.NoError(t, err)
	files := map[string]string{"bench.md": r.text(t)}
	for _, picture := range pictures() {
		files[picture.file] = picture.draw(r.of(t, picture.job))
	}
	require.NoError(t, to.Replace("comparison.md", "bench", r.summary(t)))
	for name, text := range files {
		require.NoError(t, to.Write(name, text))
	}
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
	return filled(t, "bench.md.tmpl", r)
}

// filled returns a template of testdata with its data.
func filled(t *testing.T, name string, data any) string {
	t.Helper()
	layout, err := template.ParseFiles("testdata/" + name)
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, layout.Execute(&b, data))
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
	return page.Table(rows), nil
}

// Title returns the description of the job.
func (c comparison) Title() string { return c.title() }

// Table returns a table with a row for each contender.
func (c comparison) Table() string { return page.Table(c.rows(c.figures...)) }

// rows returns the table's rows with some of the figures.
func (c comparison) rows(names ...string) [][]string {
	shown := slices.DeleteFunc(figures.Columns(), func(x figures.Column) bool { return !slices.Contains(names, x.Name) })
	head := []string{"client"}
	for _, x := range shown {
		head = append(head, x.Name)
	}
	rows := [][]string{head}
	for _, r := range c.results {
		row := []string{r.cell()}
		for _, x := range shown {
			row = append(row, x.Cell(r.figures))
		}
		rows = append(rows, row)
	}
	return rows
}

// Ahead lists which clients are better than headway, by figure, as far as the table shows it.
func (c comparison) Ahead() string {
	var all strings.Builder
	ours := c.results[0].figures
	for _, x := range figures.Columns() {
		var who []string
		for _, r := range c.results[1:] { // including headway with other settings
			theirs, measured := r.figures[x.Name]
			if measured && x.Worse(ours[x.Name], theirs) && x.Cell(ours) != x.Cell(r.figures) {
				who = append(who, r.name)
			}
		}
		if len(who) > 0 {
			fmt.Fprintf(&all, "\n- **%s**: %s", x.Name, strings.Join(who, ", "))
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
	if strings.HasPrefix(client, ourName) {
		return "**" + client + "**"
	}
	return client
}

// summary is what a reader wants to know first: one client on windows and on a bucket, then several on one quota.
func (r *report) summary(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	write := func(title string, rows [][]string) { _, _ = fmt.Fprintf(&b, "\n*%s*\n\n%s\n", title, page.Table(rows)) }
	for _, j := range []job{alone(), onBucket()} {
		rows := r.of(t, j).rows(figures.Refused, figures.Finished, figures.Later, figures.Evenness, figures.Median, figures.P99)
		rows[0][slices.Index(rows[0], figures.Later)] = figures.Busiest + ", " + figures.Later // the column busiest is left out
		write(j.title(), joined(rows))
	}
	write(shared().title(), joined(r.of(t, shared()).rows(figures.Refused, figures.Used, figures.Jain)))
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
