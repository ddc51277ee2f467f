//go:build unix

package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/headway-go/headway/internal/test/page"
)

// part formats a fraction.
func part(x float64) string { return fmt.Sprintf("%.3f", x) }

// shares returns the table that compares a fleet with headers alone.
func (s *session) shares() string {
	rows := [][]string{{"limit", "shared by", "requests", "refused per 1000", "the most", "while warming up", "used", "the least", "Jain", "the least"}}
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
		rows = append(rows, page.Row(x.limit, by, requests, mean(refused), slices.Max(refused), mean(warm),
			part(mean(used)), part(slices.Min(used)), part(mean(jain)), part(slices.Min(jain))))
	}
	return page.Table(rows)
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
	rows := [][]string{{"fault", "limit", "refused per 1000", "during it", "after it", "used", "during it", "after it", "Jain"}}
	for _, x := range s.results {
		if x.fault.name == "" {
			continue
		}
		from, to := x.faulty()
		var refusedAfter, usedAfter any = "", ""
		if to.Before(x.to) {
			refusedAfter, usedAfter = refusedOf(x.all.Between(to, x.to)), part(x.usedOf(to, x.to))
		}
		rows = append(rows, page.Row(x.fault.name, x.limit, x.refused(), refusedOf(x.all.Between(from, to)), refusedAfter,
			part(x.used()), part(x.usedOf(from, to)), usedAfter, part(x.jain())))
	}
	return page.Table(rows)
}

// calls returns the table that accounts for all calls.
func (s *session) calls() string {
	rows := [][]string{{
		"run", "limit", "calls", "served", "throttled", "cancelled", "failed", "sent", "arrived",
		"lost the store", "found it", "goroutines", "left", "closed in",
	}}
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
		rows = append(rows, page.Row(name, x.limit, all.sum(func(a *account) int { return a.Calls }),
			of(served), of(throttled), of(cancelled), of(failed)+of(refused),
			all.sum(func(a *account) int { return a.Sent }), len(all.all),
			all.sum(func(a *account) int { return a.Lost }), all.sum(func(a *account) int { return a.Found }),
			all.most(func(a *account) int { return a.Most }), all.most(func(a *account) int { return a.Left }),
			time.Duration(all.most(func(a *account) int { return int(a.CloseTime) })).Round(time.Millisecond)))
	}
	return page.Table(rows)
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

// document returns the text of docs/figures/fleet.md.
func (s *session) document() string {
	f := &s.form
	var b strings.Builder
	fmt.Fprintf(&b, `# A fleet, measured

%d processes with %d workers each share one quota of %d per %v of a real HTTP server. They always have more to send. Processes,
server and redis-server are on one machine (%s/%s, %d processors, %s). The server responds after %v. Time is real. This page is
written and checked by

`+"```sh\nmeasure/run fleet   # seven minutes\n```"+`

- Each run is measured for %v, from the first window that begins after %v. Until then, while warming up, processes learn the
  limit and divide the rest of the first window.
- Used is the part of the quota that was used. Jain's index is the fairness between processes (1: all got the same).
- Fixed windows begin at multiples of %v.
- The linear limit (GCRA) adds one unit every %v. It starts with %d units, so more than 1 of its quota can be used.

## With a fleet and without

Each figure is the mean of %d runs. The worst run is beside it.

%s

## Faults of the store

`, f.processes, f.workers, f.quota, f.window, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), latency,
		f.measured, f.warmUp, f.window, f.window/time.Duration(f.quota), f.quota, f.times, s.shares())
	for _, fault := range f.faults.all() {
		fmt.Fprintf(&b, "* %s: %s.\n", fault.name, fault.description)
	}
	fmt.Fprintf(&b, `
A fault that does not last for the whole run begins %v after the measurement.

%s

Requests are refused when processes estimate their shares from the headers, and when they begin to agree again. On the linear
limit they then use the units of the beginning, so more than 1 of the quota is used. A process that is cut off uses these
units before the others do.

## Every call

This table has all calls, warm-up included. Each call has one outcome:

- served: once
- throttled: returned with a refusal after its last resend
- cancelled: it still waited at the end of the run
- failed: for any other reason, such as the store

Sent counts resends too. The test checks that the server counted the same requests as the processes. Lost and found are how
often processes lost the store and found it again. Goroutines are the most of any process. Left is how many more it had at the
end than before the first call. Closed in is the longest time that closing took.

%s
`, f.strike, s.faults(), s.calls())
	return b.String()
}
