package bench_test

import (
	"fmt"
	"slices"

	"github.com/headway-go/headway/internal/test/page"
)

// A line is a row with its measurements.
type line struct {
	row
	ours, theirs figures
}

// missed returns the bounds that ours do not meet. It also returns the figures in which ours are worse than theirs by more
// than the noise, unless the row names them.
func (l line) missed() []string {
	missed := append(l.ours.missed(l.bounds, columns()), unknown(slices.Values(l.worse), columns())...)
	for _, c := range columns() {
		if c.worse(l.ours[c.name], c.slack(l.theirs[c.name])) && !slices.Contains(l.worse, c.name) {
			missed = append(missed, fmt.Sprintf("%s: %s, theirs %s", c.name, c.cell(l.ours), c.cell(l.theirs)))
		}
	}
	return missed
}

// slack returns a figure that is worse than f by the noise.
func (c column) slack(f float64) float64 {
	if c.atLeast {
		return f * (1 - noise)
	}
	return f * (1 + noise)
}

// worseIn reports whether ours is worse at all.
func (l line) worseIn(c column) bool { return c.worse(l.ours[c.name], l.theirs[c.name]) }

// A table is a list of lines.
type table []line

// String returns the table in Markdown, with two lines for each row. It marks the figures in which headway is worse than its
// peer.
func (t table) String() string {
	head := []string{"server", "refuses with", "load", "client"}
	for _, c := range columns() {
		head = append(head, c.name)
	}
	rows := [][]string{head}
	for _, l := range t {
		ours := []string{l.server, l.told, l.load, headwayPeer.name}
		theirs := []string{"", "", "", awsPeer.name}
		for _, c := range columns() {
			ours = append(ours, l.cell(c))
			theirs = append(theirs, c.cell(l.theirs))
		}
		rows = append(rows, ours, theirs)
	}
	return page.Table(rows)
}

// cell returns a figure of headway's, with its bound and a mark if it is worse than its peer's.
func (l line) cell(c column) string {
	cell := c.cell(l.ours)
	if bound, bounded := l.bounds[c.name]; bounded {
		sign := "≤"
		if c.atLeast {
			sign = "≥"
		}
		cell += fmt.Sprintf(" (%s %v)", sign, bound)
	}
	if l.worseIn(c) {
		cell += " worse"
	}
	return cell
}

func (c column) cell(f figures) string {
	figure, measured := f[c.name]
	if !measured {
		return "–"
	}
	return fmt.Sprintf(c.verb, figure)
}
