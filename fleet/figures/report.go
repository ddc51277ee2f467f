//go:build unix

package main

import (
	"fmt"
	"runtime"
	"slices"
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

// part formats a fraction.
func part(x float64) string { return fmt.Sprintf("%.3f", x) }

// shares returns the table that compares a fleet with headers alone.
func (s *session) shares() string {
	var b strings.Builder
	writeHead(&b, "limit", "shared by", "requests", "refused per 1000", "the most", "while warming up", "used", "the least", "Jain", "the least")
	for _, runs := range s.groups() {
		x := runs[0]
		if x.fault.name != "" {
			continue
		}
		by := "headers alone"
		if x.fleet {
			by = "a fleet"
		}
		requests := 0
		var refused, warm, used, jain []float64
		for _, x := range runs {
			requests += len(x.measured())
			refused, warm = append(refused, x.refused()), append(warm, refusedOf(x.all.Between(time.Time{}, x.from)))
			used, jain = append(used, x.used()), append(jain, x.jain())
		}
		writeRow(&b, x.limit, by, requests, mean(refused), slices.Max(refused), mean(warm),
			part(mean(used)), part(slices.Min(used)), part(mean(jain)), part(slices.Min(jain)))
	}
	return b.String()
}

// groups returns the results of equal runs, grouped.
func (s *session) groups() (all [][]*result) {
	for i, x := range s.results {
		if i == 0 || x.String() != s.results[i-1].String() {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], x)
	}
	return all
}

func mean(of []float64) float64 {
	sum := 0.0
	for _, x := range of {
		sum += x
	}
	return sum / float64(len(of))
}

// faults returns the table of the runs with faults.
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

// calls returns the table that accounts for all calls.
func (s *session) calls() string {
	var b strings.Builder
	writeHead(&b, "run", "limit", "calls", "served", "throttled", "cancelled", "failed", "sent", "arrived",
		"lost the store", "found it", "goroutines", "left", "closed in")
	for _, runs := range s.groups() {
		x, all := runs[0], merged(runs)
		name := x.fault.name
		switch {
		case !x.fleet:
			name = "headers alone"
		case name == "":
			name = "a fleet"
		}
		of := func(o outcome) int { return all.sum(func(a *account) int { return a.Outcomes[o] }) }
		writeRow(&b, name, x.limit, all.sum(func(a *account) int { return a.Calls }),
			of(served), of(throttled), of(cancelled), of(failed)+of(refused),
			all.sum(func(a *account) int { return a.Sent }), len(all.all),
			all.sum(func(a *account) int { return a.Lost }), all.sum(func(a *account) int { return a.Found }),
			all.most(func(a *account) int { return a.Most }), all.most(func(a *account) int { return a.Left }),
			time.Duration(all.most(func(a *account) int { return int(a.CloseTime) })).Round(time.Millisecond))
	}
	return b.String()
}

// merged merges the calls of equal runs.
func merged(runs []*result) *result {
	all := &result{}
	for _, x := range runs {
		all.all = append(all.all, x.all...)
		all.accounts = append(all.accounts, x.accounts...)
	}
	return all
}

// document returns the text of docs/fleet.md.
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

Measured are %v of each run, from the first beginning of a window after %v on: until then processes learn the limit, and divide what is left of the window that they begin in;
what was refused of these is shown beside it. Used is the part of the quota that was used, Jain's index says how fairly processes shared it (1: all alike). Fixed windows begin with
whole multiples of %v. The linear limit gives back one unit every %v; at the beginning there are %d, which are used at some time or other, so that more than 1 can be used.

## With a fleet and without

The mean of %d runs each, and the worst of them.

%s
## Faults of the store

`, processes, workers, f.quota, f.window, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), latency, command,
		f.measured, f.warmUp, f.window, f.window/time.Duration(f.quota), f.quota, f.times, s.shares())
	for _, fault := range f.faults.all() {
		fmt.Fprintf(&b, "* %s: %s.\n", fault.name, fault.description)
	}
	fmt.Fprintf(&b, `
A fault that does not last all the time begins %v after measuring does.

%s
Requests are refused once processes go by headers, and learn of others' use from what is left, and as they begin to agree again. Of the linear limit they then take what was left
of the units that there were at the beginning, so that more than 1 is used; a process that is cut off takes these before the others do.

## Every call

From the first to the last one, warm-up included. A call has one outcome: it was served, once; handed back throttled after its last resend; cancelled, because it waited when the
time was over; or it failed, be it because of the store or of anything else. Sent is with resends, and what each process sent and was served is what the server counted of it.
How often processes lost the store and found it again is what they were told, all together; goroutines are the most that any process had at a time, and how many more than
before the first call it had after the last, when all was closed, and the longest time that closing took.

%s`, f.strike, s.faults(), s.calls())
	return b.String()
}
