package scale

import (
	"fmt"
	"runtime"
	"strings"
)

// A table is one of the document's tables, with its description.
type table struct {
	title, text string
	columns     []string
	rows        [][]string
	note        string // which figures are constant, and which are not
}

func (t *table) add(cells ...any) {
	row := make([]string, len(cells))
	for i, cell := range cells {
		switch cell := cell.(type) {
		case int:
			row[i] = grouped(cell)
		case float64:
			row[i] = fmt.Sprintf("%.1f", cell)
		default:
			row[i] = fmt.Sprint(cell)
		}
	}
	t.rows = append(t.rows, row)
}

// grouped formats n with commas between thousands.
func grouped(n int) string {
	if n < 0 {
		return "-" + grouped(-n)
	}
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func (t *table) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n%s\n\n| %s |\n|%s\n", t.title, t.text,
		strings.Join(t.columns, " | "), strings.Repeat("--:|", len(t.columns)))
	for _, row := range t.rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
	}
	fmt.Fprintf(&b, "\n%s\n", t.note)
	return b.String()
}

// document returns the text of docs/figures/scale.md.
func document(tables []*table) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# How headway scales

What does a request cost as requests, partitions, waiting requests and clients grow tenfold, again and again? This page is
written, and checked except for the times, by

`+"```sh\ncd measure/scale && go test -run TestScale -v . -write ../../docs/figures/scale.md\n```"+`

Time is virtual. Only ns and µs are real, of a machine with %d processors (%s/%s, %s). They are the least exact figures: they
include the test's own client and server, and the garbage collector.
`, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	for _, t := range tables {
		b.WriteString("\n" + t.String())
	}
	return b.String()
}
