//go:build unix

package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"
)

func writeRow(b *strings.Builder, cells ...any) {
	for _, cell := range cells {
		if x, ok := cell.(float64); ok {
			cell = fmt.Sprintf("%.1f", x)
		}
		fmt.Fprintf(b, "| %v ", cell)
	}
	b.WriteString("|\n")
}

func writeHead(b *strings.Builder, columns ...any) {
	writeRow(b, columns...)
	b.WriteString("|:--|:--|" + strings.Repeat("--:|", len(columns)-2) + "\n")
}

// part is a part of one.
func part(x float64) string { return fmt.Sprintf("%.3f", x) }

// shares shows what a fleet is worth.
func (s *session) shares() string {
	var b strings.Builder
	writeHead(&b, "limit", "shared by", "requests", "refused per 1000", "while warming up", "used", "Jain")
	for _, x := range s.results {
		if x.fault.name != "" {
			continue
		}
		by := "headers alone"
		if x.fleet {
			by = "a fleet"
		}
		warm := x.all.Between(time.Time{}, x.from)
		writeRow(&b, x.limit, by, len(x.measured()), x.refused(), refusedOf(warm), part(x.used()), part(x.jain()))
	}
	return b.String()
}

// faults shows what faults of the store do.
func (s *session) faults() string {
	var b strings.Builder
	writeHead(&b, "fault", "limit", "refused per 1000", "during it", "after it", "used", "during it", "after it", "Jain")
	for _, x := range s.results {
		if x.fault.name == "" {
			continue
		}
		from, to := x.faulty()
		var refusedAfter, usedAfter any = "", ""
		if to.Before(x.to) {
			refusedAfter, usedAfter = refusedOf(x.all.Between(to, x.to)), part(x.usedOf(to, x.to))
		}
		writeRow(&b, x.fault.name, x.limit, x.refused(), refusedOf(x.all.Between(from, to)), refusedAfter,
			part(x.used()), part(x.usedOf(from, to)), usedAfter, part(x.jain()))
	}
	return b.String()
}

// calls shows that all are accounted for.
func (s *session) calls() string {
	var b strings.Builder
	writeHead(&b, "run", "limit", "calls", "served", "throttled", "cancelled", "failed", "sent", "arrived",
		"lost the store", "found it", "goroutines", "left", "closed in")
	for _, x := range s.results {
		name := x.fault.name
		switch {
		case !x.fleet:
			name = "headers alone"
		case name == "":
			name = "a fleet"
		}
		of := func(o outcome) int { return x.sum(func(a *account) int { return a.Outcomes[o] }) }
		writeRow(&b, name, x.limit, x.sum(func(a *account) int { return a.Calls }),
			of(served), of(throttled), of(cancelled), of(failed)+of(refused),
			x.sum(func(a *account) int { return a.Sent }), len(x.all),
			x.sum(func(a *account) int { return a.Lost }), x.sum(func(a *account) int { return a.Found }),
			x.most(func(a *account) int { return a.Most }), x.most(func(a *account) int { return a.Left }),
			time.Duration(x.most(func(a *account) int { return int(a.Closing) })).Round(time.Millisecond))
	}
	return b.String()
}

// document is what is written to docs/fleet.md.
func (s *session) document() string {
	f := &s.form
	var b strings.Builder
	command := "go run ./figures"
	if f.name == "short" {
		command += " -short"
	}
	fmt.Fprintf(&b, `# A fleet, measured

%d processes with %d workers each, which never run out of requests, share one quota of %d per %v of a real HTTP server. Processes, server and redis-server are on one machine
(%s/%s, %d processors, %s); the server answers after %v. Time is real. Made, and checked, by

`+"```sh\ncd fleet && %s -write ../docs/fleet.md\n```"+`

Measured are %v, from the first beginning of a window after %v on: until then processes learn the limit, and what is left of the first window is divided. What was refused of these
is shown beside it. Used is the part of the quota that was used, Jain's index says how fairly processes shared it (1: all alike). Windows begin with whole multiples of %v; the
linear limit gives back one unit every %v, and begins with all of them.

## With a fleet and without

%s
## Faults of the store

`, processes, workers, f.quota, f.window, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), latency, command,
		f.measured, f.warmUp, f.window, f.window/time.Duration(f.quota), s.shares())
	for _, fault := range f.faults.all() {
		fmt.Fprintf(&b, "* %s: %s.\n", fault.name, fault.told)
	}
	fmt.Fprintf(&b, `
A fault that does not last all the time begins %v after measuring does.

%s
## Every call

From the first to the last one, warm-up included. A call has one outcome: it was served, once; handed back throttled after its last resend; cancelled, because it waited when the
time was over; or it failed, be it because of the store or of anything else. Sent is with resends, and what each process sent and was served is what the server counted of it.
How often processes lost the store and found it again is what they were told, all together; goroutines are the most that any process had at a time, and how many more than
before the first call it had after the last, when all was closed, and the longest time that closing took.

%s`, f.strike, s.faults(), s.calls())
	return b.String()
}
