package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/headway-go/headway/ratelimittest"
)

// Widths of the table's columns, in characters.
const (
	labelWidth  = 28
	columnWidth = 15
)

// table returns the figures of the results, beside the ideal ones.
func (p palette) table(batch ratelimittest.Batch, results []result) string {
	columns := make([]figures, 0, len(results)+1)
	for _, r := range results {
		columns = append(columns, r.figures())
	}
	columns = append(columns, ideal(batch))

	var t strings.Builder
	row := func(as style, label string, value func(figures) string) {
		t.WriteString(p.paint(as, tableRow(label, columns, value)) + "\n")
	}
	row(bold, "", func(f figures) string { return f.name })
	row(plain, "requests", func(f figures) string { return strconv.Itoa(f.requests) })
	row(plain, "refused", figures.share)
	row(plain, "finished after", func(f figures) string { return fmt.Sprintf("%.1f s", f.took.Seconds()) })
	row(plain, "busiest tenth of a window", func(f figures) string { return strconv.Itoa(f.busiest) })
	row(plain, "  after the first burst", func(f figures) string { return strconv.Itoa(f.later) })
	t.WriteString(p.paint(dim, fmt.Sprintf(`
The ideal is the soonest end and an even spread; no client can have both.
The last row leaves out the first %.1f s, in which headway sends its first burst.`, tenth.Seconds())))
	return t.String() + "\n"
}

func tableRow(label string, columns []figures, value func(figures) string) string {
	var line strings.Builder
	fmt.Fprintf(&line, "%-*s", labelWidth, label)
	for _, f := range columns {
		fmt.Fprintf(&line, "%*s", columnWidth, value(f))
	}
	return line.String()
}

// figures are the table's numbers on one client.
type figures struct {
	name              string
	requests, refused int
	took              time.Duration
	busiest           int // most requests in any tenth of a window
	later             int // the same without the first tenth of a window, in which the initial burst goes
}

func (r result) figures() figures {
	later := r.arrivals.Between(r.begun.Add(tenth), r.begun.Add(r.took))
	return figures{
		name:     r.name,
		requests: len(r.arrivals),
		refused:  len(r.arrivals.Refused()),
		took:     r.took,
		busiest:  r.arrivals.Busiest(tenth),
		later:    later.Busiest(tenth),
	}
}

// ideal has the earliest end that the server allows, and evenly spread requests. No client can reach both.
func ideal(batch ratelimittest.Batch) figures {
	even := int(quota * tenth / window)
	return figures{
		name:     "ideal",
		requests: batch.Requests,
		took:     batch.Optimum(newLimiter(), time.Time{}, 0),
		busiest:  even,
		later:    even,
	}
}

// share returns the number of refused requests, and their part of all.
func (f figures) share() string {
	if f.refused == 0 {
		return "0"
	}
	return fmt.Sprintf("%d (%.1f %%)", f.refused, 100*float64(f.refused)/float64(f.requests))
}
