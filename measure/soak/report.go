package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/headway-go/headway/internal/test/page"
)

// report returns the results in Markdown.
func (s *soak) report() string {
	l := s.ledger
	var b strings.Builder
	fmt.Fprintf(&b, "%d requests in %v, with seed %d, %d storms and %d restarts: %d settled, %d violations.\n\n",
		s.made.Load(), s.lasted, s.seed, s.storms, s.starts, l.settled, l.violated())
	fmt.Fprintf(&b, "Requests, by party and outcome:\n\n%s\n\n", l.outcomesTable())
	fmt.Fprintf(&b, "Arrivals at the servers, by what the server did, and the faults:\n\n%s\n\n%s\n\n",
		countsTable("arrivals", l.arrivals), countsTable("faults", l.faults))
	fmt.Fprintf(&b, "Measured %d times while no request was under way. Mean and growth are of the second half. Growth up to the last column may be chance:\n\n%s\n\n",
		len(s.samples), s.gaugesTable())
	if n := len(s.samples); n < enough {
		fmt.Fprintf(&b, "Too few samples to judge growth (%d of %d).\n\n", n, enough)
	}
	fmt.Fprintf(&b, "Bodies of requests that net/http has left open: %d.\n", s.theirs.Load())
	return b.String()
}

func (l *ledger) outcomesTable() string {
	row := func(name string, of func(outcome) int) []string {
		return page.Row(name, of(served), of(throttled), of(refused), of(cancelled), of(failed), of(cut))
	}
	rows := [][]string{page.Row("", served, throttled, refused, cancelled, failed, cut)}
	for _, name := range slices.Sorted(maps.Keys(l.outcomes)) {
		rows = append(rows, row(name, func(o outcome) int { return l.outcomes[name][o] }))
	}
	return page.Table(append(rows, row("all", l.count)))
}

// countsTable lists counts by name.
func countsTable[K ~string](title string, of map[K]int) string {
	rows := [][]string{{title, "times"}}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		rows = append(rows, page.Row(name, of[name]))
	}
	return page.Table(rows)
}

// gaugesTable lists the gauges. Without samples, or with too few to judge growth, cells are empty.
func (s *soak) gaugesTable() string {
	rows := [][]string{{"at rest", "before", "first", "last", "least", "most", "mean", "growth", "chance"}}
	for i, kind := range gaugeKinds() {
		samples, cells := series(s.samples, i), page.Row(kind.name, int(s.idle[i]))
		t := trendOf(samples)
		if n := len(samples); n > 0 {
			cells = append(cells, page.Row(int(samples[0]), int(samples[n-1]), int(slices.Min(samples)), int(slices.Max(samples)), int(t.mean))...)
		}
		if len(samples) >= enough {
			cells = append(cells, fmt.Sprintf("%+.0f", t.rise), page.Grouped(int(t.chance)))
		}
		rows = append(rows, append(cells, make([]string, len(rows[0])-len(cells))...))
	}
	return page.Table(rows)
}
