package main

import (
	"fmt"
	"strings"
)

// summarize prints the report and the violations, and returns an error if there are any. Without violations it
// writes the report to its file, unless the run was cut short or too short to judge growth.
func (s *soak) summarize() error {
	for i, kind := range gaugeKinds() {
		if kind.grows(series(s.samples, i)) {
			s.ledger.violate("grows: %s", kind.name)
		}
	}
	var b strings.Builder
	l := s.ledger
	report := s.report()
	b.WriteString("\n" + report)
	for _, violation := range l.violations {
		b.WriteString("\nWRONG: " + violation)
	}
	if more := l.violated() - len(l.violations); more > 0 {
		fmt.Fprintf(&b, "\nand %d more", more)
	}
	if _, err := fmt.Fprintln(s.out, b.String()); err != nil {
		return err
	}
	if l.violated() > 0 {
		return errViolated
	}
	if s.write == "" {
		return nil
	}
	if s.lasted < s.length || len(s.samples) < enough {
		_, err := fmt.Fprintln(s.out, "Not written, as it was too short.")
		return err
	}
	return s.write.Write("soak.md", document(report))
}

// document returns the text of docs/figures/soak.md.
func document(report string) string {
	return `# A soak

This run sends requests over real HTTP on the loopback interface. Meanwhile connections are cut, servers restart, refuse in
storms and respond slowly, and clients give up. Each request is accounted for:

- It has one outcome, and there is a reason for it.
- A served request was processed once. It was processed twice only where that does no harm.
- Memory, goroutines or timers that grow, or are left at the end, are violations.

This page is written by

` + "```sh\nmeasure/run soak   # ten minutes\n```\n\n" + report
}
