package main

import (
	"fmt"
	"strings"

	"github.com/headway-go/headway/ratelimittest"
)

// table returns the figures of each process, and of all together.
func (r *result) table() string {
	var t text
	row := func(label string, value func(process int) string, all string) {
		var line strings.Builder
		fmt.Fprintf(&line, "%-24s", label)
		for i := range r.processes {
			fmt.Fprintf(&line, "%12s", value(i))
		}
		t.printf("%s\n", strings.TrimRight(fmt.Sprintf("%s%10s", line.String(), all), " "))
	}
	count := func(label string, of func(ratelimittest.Arrivals) ratelimittest.Arrivals) {
		row(label, func(i int) string { return fmt.Sprint(len(of(r.of(i)))) }, fmt.Sprint(len(of(r.arrivals))))
	}
	row("", func(i int) string { return fmt.Sprintf("process %d", i+1) }, "all")
	count("served before the kill", func(a ratelimittest.Arrivals) ratelimittest.Arrivals {
		return a.Allowed().Between(r.begun, r.killed)
	})
	count("served after it", func(a ratelimittest.Arrivals) ratelimittest.Arrivals {
		return a.Allowed().Between(r.killed, r.ended)
	})
	count("refused", ratelimittest.Arrivals.Refused)
	row("members, as it knows", func(i int) string {
		if i < len(r.reports) {
			return fmt.Sprint(r.reports[i].Members)
		}
		return "killed"
	}, "")
	t.printf("\nrefused per 1000 served  %.1f\n", r.refusedPerMille())
	t.printf("part of the quota used   %.2f\n", r.used())
	return t.out.String()
}
