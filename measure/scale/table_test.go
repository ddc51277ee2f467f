package scale

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/headway-go/headway/internal/test/page"
)

// A table is one of the page's tables, with its description.
type table struct {
	title, text string
	columns     []string
	rows        [][]string
	note        string // which figures are constant, and which are not
}

func (t *table) add(cells ...any) { t.rows = append(t.rows, page.Row(cells...)) }

func (t *table) String() string {
	return fmt.Sprintf("## %s\n\n%s\n\n%s\n\n%s\n", t.title, t.text, page.Table(append([][]string{t.columns}, t.rows...)), t.note)
}

// document returns the text of docs/figures/scale.md.
func document(tables []*table) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# How headway scales

What does a request cost as requests, partitions and waiting requests grow tenfold, again and again? This page is
written, and checked except for the times, by

`+"```sh\nmeasure/run scale   # a minute\n```"+`

Time is virtual. Only ns and µs are real, of a machine with %d processors (%s/%s, %s). They are the least exact figures: they
include the test's own client and server, and the garbage collector.
`, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	for _, t := range tables {
		b.WriteString("\n" + t.String())
	}
	return b.String()
}
