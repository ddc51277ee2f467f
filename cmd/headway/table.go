package main

import (
	"strings"
	"text/tabwriter"
)

// limitTable shows limits side by side.
func (p palette) limitTable(limits []limit) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(cells ...string) {
		_, _ = w.Write([]byte(strings.Join(cells, "\t") + "\n")) // a strings.Builder never fails
	}
	row("LIMIT", "DIALECT", "UNIT", "LEFT", "QUOTA", "WINDOW", "MORE IN", "PACE")
	for i := range limits {
		l := &limits[i]
		row(l.name(), l.Dialect, visible(l.Unit, shortText), l.Remaining.String(), l.Quota.String(), l.Window.String(), l.Reset.String(), l.Rate.String())
	}
	_ = w.Flush()
	return p.paintRows(b.String(), limits)
}

// paintRows paints whole lines, as the tabwriter would count colours as part of a cell's width.
func (p palette) paintRows(table string, limits []limit) string {
	rows := strings.Split(strings.TrimSuffix(table, "\n"), "\n")
	rows[0] = p.paint(bold, rows[0])
	for i := range limits {
		rows[i+1] = p.paint(limits[i].style(), rows[i+1])
	}
	return strings.Join(rows, "\n") + "\n"
}
