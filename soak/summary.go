package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// summarize prints what came of it, and returns an error if anything is wrong.
func (s *soak) summarize() error {
	for i, kind := range gaugeKinds() {
		if kind.grows(series(s.samples, i)) {
			s.ledger.wrong("grows: %s", kind.name)
		}
	}
	var b strings.Builder
	l := s.ledger
	fmt.Fprintf(&b, "\n%d requests in %v, seed %d; %d storms, %d restarts; %d settled\n\n",
		s.made.Load(), time.Since(s.begun).Round(time.Second), s.seed, s.storms, s.starts, l.settled)
	l.writeOutcomes(&b)
	fmt.Fprintf(&b, "\nWhat the servers did:%s\n", counts(l.arrivals))
	fmt.Fprintf(&b, "Faults:%s\n\n", counts(l.faults))
	s.writeGauges(&b)
	fmt.Fprintf(&b, "Bodies of requests that net/http has left open: %d\n", s.theirs.Load())
	for _, violation := range l.violations {
		b.WriteString("\nWRONG: " + violation)
	}
	if l.violated > len(l.violations) {
		fmt.Fprintf(&b, "\nand %d more", l.violated-len(l.violations))
	}
	fmt.Fprintf(&b, "\n%d violations\n", l.violated)
	if _, err := fmt.Fprint(s.out, b.String()); err != nil {
		return err
	}
	if l.violated > 0 {
		return errViolated
	}
	return nil
}

func (l *ledger) writeOutcomes(b *strings.Builder) {
	outcomes := []outcome{served, throttled, refused, cancelled, failed, cut}
	row := func(name string, of func(outcome) int) {
		fmt.Fprintf(b, "| %-13s |", name)
		for _, o := range outcomes {
			fmt.Fprintf(b, " %9d |", of(o))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(b, "| %-13s |", "")
	for _, o := range outcomes {
		fmt.Fprintf(b, " %9s |", o)
	}
	b.WriteString("\n|---------------|" + strings.Repeat("----------:|", len(outcomes)) + "\n")
	for _, name := range slices.Sorted(maps.Keys(l.outcomes)) {
		row(name, func(o outcome) int { return l.outcomes[name][o] })
	}
	row("all", l.count)
}

// counts lists how often there was what, by name.
func counts[K ~string](of map[K]int) string {
	var b strings.Builder
	for i, name := range slices.Sorted(maps.Keys(of)) {
		if i > 0 {
			b.WriteString(";")
		}
		fmt.Fprintf(&b, " %s %d", name, of[name])
	}
	return b.String()
}

// writeGauges shows mean and growth as of the second half, and how much growth is chance;
// NaN if there are too few samples.
func (s *soak) writeGauges(b *strings.Builder) {
	fmt.Fprintf(b, "| %-22s | %9s | %9s | %9s | %9s | %9s | %9s |\n|%s|%s\n", "at rest", "before", "least", "mean", "most", "growth", "chance",
		strings.Repeat("-", 24), strings.Repeat("----------:|", 6))
	for i, kind := range gaugeKinds() {
		samples := series(s.samples, i)
		least, most := span(samples)
		t := trendOf(samples)
		fmt.Fprintf(b, "| %-22s | %9.0f | %9.0f | %9.0f | %9.0f | %+9.0f | %9.0f |\n", kind.name, s.idle[i], least, t.mean, most, t.rise, t.chance)
	}
}
