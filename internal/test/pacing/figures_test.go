package pacing

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// These are the names of the table's figures.
const (
	refused  = "refused ‰" // per 1000 that were allowed
	failed   = "failed"    // requests that were never allowed
	finished = "÷ optimum" // time to the last response, divided by a clairvoyant greedy client's
	used     = "used"      // part of the quota that was used
	cv       = "CV"        // coefficient of variation of the gaps between arrivals
	busiest  = "busiest"   // most requests in any tenth of a window, divided by an even share
	p50      = "p50 s"     // delay that pacing adds
	p99      = "p99 s"
	jain     = "Jain" // fairness between clients
)

// A pacingColumn says how a figure is printed and judged.
type pacingColumn struct {
	name    string
	verb    string
	atLeast bool // its bound is a lower bound
}

func pacingColumns() []pacingColumn {
	return []pacingColumn{
		{refused, "%.1f", false},
		{failed, "%.0f", false},
		{finished, "%.3f", false},
		{used, "%.3f", true},
		{cv, "%.2f", false},
		{busiest, "%.2f", false},
		{p50, "%.2f", false},
		{p99, "%.2f", false},
		{jain, "%.2f", true},
	}
}

// pacingFigures are measurements or bounds, by column.
type pacingFigures map[string]float64

// with returns f with others added or replaced.
func (f pacingFigures) with(others pacingFigures) pacingFigures {
	f = maps.Clone(f)
	maps.Copy(f, others)
	return f
}

// without returns f without a column.
func (f pacingFigures) without(column string) pacingFigures {
	f = maps.Clone(f)
	delete(f, column)
	return f
}

// worse returns the worse of two figures of the column.
func (c pacingColumn) worse(a, b float64) float64 {
	if c.atLeast {
		return min(a, b)
	}
	return max(a, b)
}

// A pacingLine is a line of the table: a row's measurements and bounds.
type pacingLine struct {
	load, server    string
	rates, dialects []string
	figures, bounds pacingFigures
}

// missed returns the bounds that are not met.
func (l pacingLine) missed() []string {
	var missed []string
	for _, c := range pacingColumns() {
		if cell, met := l.cell(c); !met {
			missed = append(missed, c.name+": "+cell)
		}
	}
	return missed
}

// cell returns a figure and its bound. A bound without a measurement is missed.
func (l pacingLine) cell(c pacingColumn) (cell string, met bool) {
	figure, measured := l.figures[c.name]
	bound, bounded := l.bounds[c.name]
	if measured {
		cell = fmt.Sprintf(c.verb, figure)
	}
	if !bounded {
		return cell, true
	}
	sign := "≤"
	if c.atLeast {
		sign = "≥"
	}
	cell += fmt.Sprintf(" %s %v", sign, bound)
	if !measured || c.worse(figure, bound) != bound {
		return cell + " missed", false
	}
	return cell, true
}

// A pacingTable is a list of lines.
type pacingTable []pacingLine

// worst merges lines that differ only in rate and dialect. It keeps the worst of each figure.
func (t pacingTable) worst() pacingTable {
	var merged pacingTable
	for _, l := range t {
		i := slices.IndexFunc(merged, func(m pacingLine) bool {
			return m.load == l.load && m.server == l.server && maps.Equal(m.bounds, l.bounds)
		})
		if i < 0 {
			l.figures = maps.Clone(l.figures)
			merged = append(merged, l)
			continue
		}
		m := &merged[i]
		m.rates, m.dialects = union(m.rates, l.rates), union(m.dialects, l.dialects)
		for _, c := range pacingColumns() {
			if figure, ok := l.figures[c.name]; ok {
				if other, ok := m.figures[c.name]; ok {
					figure = c.worse(figure, other)
				}
				m.figures[c.name] = figure
			}
		}
	}
	return merged
}

func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// mean returns the mean of a figure over the lines of one load.
func (t pacingTable) mean(load, column string) float64 {
	var sum, n float64
	for _, l := range t {
		if l.load == load {
			sum += l.figures[column]
			n++
		}
	}
	return sum / n
}

// String returns the table in Markdown.
func (t pacingTable) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 1, ' ', 0)
	write := func(cells []string) { _, _ = fmt.Fprintf(w, "| %s\t|\n", strings.Join(cells, "\t| ")) }
	head := []string{"load", "server", "q/w", "dialect"}
	for _, c := range pacingColumns() {
		head = append(head, c.name)
	}
	write(head)
	write(slices.Repeat([]string{"---"}, len(head)))
	for _, l := range t {
		cells := []string{l.load, l.server, strings.Join(l.rates, ", "), strings.Join(l.dialects, ", ")}
		for _, c := range pacingColumns() {
			cell, _ := l.cell(c)
			cells = append(cells, cell)
		}
		write(cells)
	}
	_ = w.Flush() // writing to b never fails
	return b.String()
}
