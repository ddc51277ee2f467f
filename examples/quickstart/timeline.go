package main

import (
	"fmt"
	"strings"
	"time"
)

// The size of the picture, in characters.
const (
	pictureWidth = 80
	fullHeight   = 6 // of the highest bar of all
	margin       = 6 // for the numbers on the left
)

// timelines draws the results one above the other, to the same scale.
func (p palette) timelines(results []result) string {
	cuts := make([][]slice, len(results))
	most, longest := 1, 1
	for i, r := range results {
		cuts[i] = slices(r.arrivals, r.begun, tenth)
		most, longest = max(most, busiest(cuts[i])), max(longest, len(cuts[i]))
	}
	t := newTimeline(p, most, longest)
	t.printf("Requests in each %.1f s:  %s allowed  %s refused\n", tenth.Seconds(),
		t.block(cell{green, allowedMark}), t.block(cell{red, refusedMark}))
	for i, r := range results {
		t.printf("\n%s  %s\n", p.paint(bold, r.name), p.paint(dim, r.about))
		t.draw(cuts[i], r.first)
	}
	t.times()
	return t.out.String()
}

// A timeline draws slices of time as bars.
type timeline struct {
	palette
	out     strings.Builder
	perRow  float64 // requests in one row
	columns int     // bars
	width   int     // of a bar
	step    int     // characters per window
}

func newTimeline(p palette, most, columns int) *timeline {
	width := 2
	if margin+columns*width > pictureWidth {
		width = 1
	}
	return &timeline{
		palette: p,
		perRow:  float64(most) / fullHeight,
		columns: columns,
		width:   width,
		step:    width * int(window/tenth),
	}
}

func (t *timeline) printf(format string, args ...any) { fmt.Fprintf(&t.out, format, args...) }

// draw draws the bars of one timeline, and the axis below. If the first bar is much higher than the others,
// first is written next to its top.
func (t *timeline) draw(cut []slice, first string) {
	bars := make([][]cell, len(cut))
	height, others := 1, 0
	for i, s := range cut {
		bars[i] = bar(s, t.perRow)
		height = max(height, len(bars[i]))
		if i > 0 {
			others = max(others, len(bars[i]))
		}
	}
	for row := height - 1; row >= 0; row-- {
		label, note := "│", ""
		if row == height-1 {
			label = fmt.Sprintf("%d ┤", busiest(cut))
			if row >= others && first != "" {
				note = " ← " + first
			}
		}
		t.printf("%s%s%s\n", t.paint(dim, fmt.Sprintf("%*s", margin, label)), t.row(bars, row), t.paint(dim, note))
	}
	t.axis()
}

// row draws one row of all bars, without trailing blanks.
func (t *timeline) row(bars [][]cell, row int) string {
	var line, blank strings.Builder
	for _, b := range bars {
		if row >= len(b) {
			blank.WriteString(strings.Repeat(" ", t.width))
			continue
		}
		line.WriteString(blank.String())
		line.WriteString(t.block(b[row]))
		blank.Reset()
	}
	return line.String()
}

func (t *timeline) block(c cell) string {
	return t.paint(c.as, strings.Repeat(string(c.glyph), t.width))
}

// axis draws a line with a tick for each window.
func (t *timeline) axis() {
	line := []rune(strings.Repeat("─", t.columns*t.width))
	for i := t.step; i < len(line); i += t.step {
		line[i] = '┴'
	}
	t.printf("%s\n", t.paint(dim, fmt.Sprintf("%*s%s", margin, "└", string(line))))
}

// times writes the time below each tick.
func (t *timeline) times() {
	var line strings.Builder
	line.WriteString(strings.Repeat(" ", margin))
	for i := 0; i*t.step < t.columns*t.width; i++ {
		at := time.Duration(i) * window
		fmt.Fprintf(&line, "%-*s", t.step, fmt.Sprintf("%.0f s", at.Seconds()))
	}
	t.printf("%s\n", t.paint(dim, strings.TrimRight(line.String(), " ")))
}
