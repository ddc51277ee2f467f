package main

import (
	"fmt"
	"strings"
	"time"
)

const (
	labelWidth  = 11 // characters
	columnWidth = 2
	barHeight   = 2 // rows
)

// A text is a picture or a table of characters.
type text struct{ out strings.Builder }

func (t *text) printf(format string, args ...any) { fmt.Fprintf(&t.out, format, args...) }

// line writes a label and the text next to it.
func (t *text) line(label, what string) {
	t.printf("%s\n", strings.TrimRight(fmt.Sprintf("%-*s%s", labelWidth, label, what), " "))
}

// picture draws the served requests of each process over time, as bars and numbers.
func (r *result) picture() string {
	var t text
	t.printf("Requests served in each %v s:\n\n", slice.Seconds())
	all, most := r.served()
	for i, counts := range all {
		for row := barHeight - 1; row > 0; row-- {
			t.line("", bars(counts, most, row))
		}
		lowest := bars(counts, most, 0)
		if i == r.processes-1 {
			lowest = string([]rune(lowest)[:columnWidth*r.killedColumn()]) + " ← killed"
		}
		t.line(fmt.Sprintf("process %d", i+1), lowest)
		t.line("", numbers(counts))
	}
	t.line("refused", numbers(r.counts(r.arrivals.Refused())))
	begins := r.windows()
	t.line("", r.axis(begins))
	t.line("windows", r.below(begins, func(i int) string { return fmt.Sprintf("%.1f s", begins[i].Seconds()) }))
	used := r.servedIn(begins)
	t.line("used", r.below(begins, func(i int) string { return fmt.Sprintf("%d of %d", used[i], r.quota) }))
	return t.out.String()
}

// bars returns one row of bars. The highest bar stands for most.
func bars(counts []int, most, row int) string {
	eighths := []rune(" ▁▂▃▄▅▆▇█")
	var line strings.Builder
	for _, n := range counts {
		height := (8*barHeight*n + most/2) / most
		if n > 0 {
			height = max(height, 1)
		}
		line.WriteString(strings.Repeat(string(eighths[min(max(height-8*row, 0), 8)]), columnWidth))
	}
	return line.String()
}

// numbers writes one number for each bar, in the bar's width. 0 is left out, and numbers above 99 become 99.
func numbers(counts []int) string {
	var line strings.Builder
	for _, n := range counts {
		number := ""
		if n > 0 {
			number = fmt.Sprint(min(n, 99))
		}
		fmt.Fprintf(&line, "%*s", columnWidth, number)
	}
	return line.String()
}

// axis draws a tick where each window begins.
func (r *result) axis(begins []time.Duration) string {
	line := []rune(strings.Repeat("─", columnWidth*r.columns()))
	for _, at := range begins {
		if i := columnWidth * int(at/slice); i < len(line) {
			line[i] = '┴'
		}
	}
	return string(line)
}

// below writes a text below each tick.
func (r *result) below(begins []time.Duration, what func(window int) string) string {
	var line strings.Builder
	for i, at := range begins {
		fmt.Fprintf(&line, "%*s%s", max(columnWidth*int(at/slice)-line.Len(), 0), "", what(i))
	}
	return line.String()
}
