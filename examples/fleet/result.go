package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/headway-go/headway/ratelimittest"
)

// A result is the result of a plan.
type result struct {
	plan
	arrivals      ratelimittest.Arrivals // at the server
	begun, killed time.Time              // the first arrival, and the end of the killed process
	ended         time.Time              // when the other processes had to end
	reports       []report               // of all processes except the killed one
}

// slice is the time that one column of the picture stands for.
const slice = 500 * time.Millisecond

// of returns the arrivals from one process.
func (r *result) of(process int) ratelimittest.Arrivals {
	var all ratelimittest.Arrivals
	for _, a := range r.arrivals {
		if a.Path == path(process) {
			all = append(all, a)
		}
	}
	return all
}

// columns returns the number of columns of the picture. It leaves out a last column of less than half a
// slice.
func (r *result) columns() int { return int((r.ended.Sub(r.begun) + slice/2) / slice) }

// killedColumn returns the first column without the killed process.
func (r *result) killedColumn() int {
	return min(int((r.killed.Sub(r.begun)+slice/2)/slice), r.columns())
}

// counts returns the number of arrivals in each column.
func (r *result) counts(of ratelimittest.Arrivals) []int {
	counts := make([]int, r.columns())
	copy(counts, of.Slices(r.begun, slice))
	return counts
}

// served returns how many requests of each process were served, by column, and the highest of these numbers.
func (r *result) served() (all [][]int, most int) {
	all, most = make([][]int, r.processes), 1
	for i := range all {
		all[i] = r.counts(r.of(i).Allowed())
		for _, n := range all[i] {
			most = max(most, n)
		}
	}
	return all, most
}

// windows returns when the server's windows began, after the first arrival. A window begins with the first
// request that is served after the end of the previous window.
func (r *result) windows() []time.Duration {
	var all []time.Duration
	for _, a := range r.arrivals.Allowed() {
		if at := a.Time.Sub(r.begun); len(all) == 0 || at >= all[len(all)-1]+r.window {
			all = append(all, at)
		}
	}
	return all
}

// servedIn returns how many requests were served in each window.
func (r *result) servedIn(begins []time.Duration) []int {
	all := make([]int, len(begins))
	for i, at := range begins {
		from := r.begun.Add(at)
		all[i] = len(r.arrivals.Allowed().Between(from, from.Add(r.window)))
	}
	return all
}

func (r *result) refusedPerMille() float64 {
	return 1000 * float64(len(r.arrivals.Refused())) / float64(max(len(r.arrivals.Allowed()), 1))
}

// used returns the part of the quota that was used in all the time.
func (r *result) used() float64 {
	served := len(r.arrivals.Allowed().Between(r.begun, r.ended))
	return float64(served) / (float64(r.quota) * r.ended.Sub(r.begun).Seconds() / r.window.Seconds())
}

// unaccounted returns an error that names the processes whose numbers differ from the server's; nil if there
// are none. The killed process has no numbers of its own.
func (r *result) unaccounted() error {
	var all []error
	for i, report := range r.reports {
		mine := r.of(i)
		served, refused := len(mine.Allowed()), len(mine.Refused())
		if report.Served != served || report.Refused != refused || report.Failed != 0 {
			all = append(all, fmt.Errorf("process %d was served %d requests, refused %d, and %d failed, the server served %d and refused %d",
				i+1, report.Served, report.Refused, report.Failed, served, refused))
		}
	}
	return errors.Join(all...)
}
