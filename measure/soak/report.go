package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// report returns the results in Markdown.
func (s *soak) report() string {
	var b strings.Builder
	l := s.ledger
	fmt.Fprintf(&b, "%d requests in %v, with seed %d, %d storms and %d restarts: %d settled, %d violations.\n\n",
		s.made.Load(), s.lasted, s.seed, s.storms, s.starts, l.settled, l.violated())
	b.WriteString("Requests, by party and outcome:\n\n")
	l.writeOutcomes(&b)
	b.WriteString("\nArrivals at the servers, by what the server did, and the faults:\n\n")
	writeCounts(&b, "arrivals", l.arrivals)
	b.WriteString("\n")
	writeCounts(&b, "faults", l.faults)
	b.WriteString("\n")
	s.writeGauges(&b)
	fmt.Fprintf(&b, "\nBodies of requests that net/http has left open: %d.\n", s.theirs.Load())
	return b.String()
}

// writeRow writes a row of a table: its name, and its right-aligned cells.
func writeRow(b *strings.Builder, name string, cells ...any) {
	fmt.Fprintf(b, "| %-23s |", name)
	for _, cell := range cells {
		fmt.Fprintf(b, " %9v |", cell)
	}
	b.WriteString("\n")
}

func writeHead(b *strings.Builder, name string, columns ...any) {
	writeRow(b, name, columns...)
	b.WriteString("|" + strings.Repeat("-", 25) + "|" + strings.Repeat("----------:|", len(columns)) + "\n")
}

func (l *ledger) writeOutcomes(b *strings.Builder) {
	row := func(name string, of func(outcome) int) {
		writeRow(b, name, of(served), of(throttled), of(refused), of(cancelled), of(failed), of(cut))
	}
	writeHead(b, "", served, throttled, refused, cancelled, failed, cut)
	for _, name := range slices.Sorted(maps.Keys(l.outcomes)) {
		row(name, func(o outcome) int { return l.outcomes[name][o] })
	}
	row("all", l.count)
}

// writeCounts lists counts by name.
func writeCounts[K ~string](b *strings.Builder, title string, of map[K]int) {
	writeHead(b, title, "times")
	for _, name := range slices.Sorted(maps.Keys(of)) {
		writeRow(b, string(name), of[name])
	}
}

// writeGauges lists the gauges.
func (s *soak) writeGauges(b *strings.Builder) {
	fmt.Fprintf(b, "Measured %d times while no request was under way. Mean and growth are of the second half. Growth up to the last column may be chance:\n\n", len(s.samples))
	writeHead(b, "at rest", "before", "first", "last", "least", "most", "mean", "growth", "chance")
	whole := func(x float64) string { return fmt.Sprintf("%.0f", x) }
	for i, kind := range gaugeKinds() {
		samples, cells := series(s.samples, i), []any{whole(s.idle[i])}
		t := trendOf(samples)
		if n := len(samples); n > 0 {
			cells = append(cells, whole(samples[0]), whole(samples[n-1]), whole(slices.Min(samples)), whole(slices.Max(samples)), whole(t.mean))
		}
		if len(samples) >= enough {
			cells = append(cells, fmt.Sprintf("%+.0f", t.rise), whole(t.chance))
		}
		for len(cells) < 8 {
			cells = append(cells, "")
		}
		writeRow(b, kind.name, cells...)
	}
	if n := len(s.samples); n < enough {
		fmt.Fprintf(b, "\nToo few samples to judge growth (%d of %d).\n", n, enough)
	}
}
