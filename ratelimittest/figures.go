package ratelimittest

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Figures are the results of a run of a Scenario. A figure without a meaning for the run is NaN, or 0 if it
// is a time other than Optimum. Comparisons with NaN are false, so a test should negate the condition that
// must hold, as in !(f.Used > 0.9).
type Figures struct {
	// Made is the number of calls of all clients. Served is the number of calls that ended without an
	// error and with a status below 400.
	Made, Served int
	// Allowed and Refused count the requests that arrived at the Handler, resends included.
	Allowed, Refused int
	// Took is the time from the start of the workload to the last outcome.
	Took time.Duration
	// Optimum is the time that a clairvoyant client would have needed, see Batch.Optimum. The time that Next and
	// Faults take is not included. Optimum is negative if it is not known. It is known under these conditions:
	//
	//   - There is one client, and its workload is a Batch.
	//   - Every call was served by exactly one request, and the Limiter allowed it.
	//   - All requests had the same cost.
	//   - Limiter is nil, or has a Fresh and a RetryAfter for what it refuses. A Concurrency has none.
	Optimum time.Duration
	// Used is the share of the quota that the clients used, see Arrivals.Used. It is low if the run ends
	// just after a window began, because that window counts in full. NaN if Limiter has no Fresh.
	Used float64
	// GapCV says how even the requests arrived, see Arrivals.GapCV.
	GapCV float64
	// LongestGap is the longest idle time between the first and the last request, see
	// Arrivals.LongestGap. Arrivals.Busiest is not among the figures, as it needs a width.
	LongestGap time.Duration
	// Jain says how fairly the clients shared the quota, see Arrivals.Jain.
	Jain float64
	// Median and P99 are the added delay of the calls that were served: how long a call took, less the
	// Latency. Calls whose Outcome has no Start do not count.
	Median, P99 time.Duration

	Arrivals Arrivals    // all requests, for further figures
	Outcomes [][]Outcome // of each client
}

// RefusedPerMille returns the number of refused requests per 1000 allowed ones. It is NaN if nothing arrived,
// and +Inf if nothing was allowed.
func (f Figures) RefusedPerMille() float64 { return 1000 * float64(f.Refused) / float64(f.Allowed) }

// Slowdown returns Took over Optimum: 1 for a client that could not have been faster. It is +Inf if the
// optimum is not known, or if the optimum is 0 and the client needed longer. Slowdown ignores refusals, so a
// client that resends refused requests at once may be the fastest. RefusedPerMille shows that.
func (f Figures) Slowdown() float64 {
	switch {
	case f.Optimum < 0:
		return math.Inf(1)
	case f.Took == f.Optimum:
		return 1
	}
	return float64(f.Took) / float64(f.Optimum)
}

// Failures returns how often calls failed, by the text of the error or of the status.
func (f Figures) Failures() map[string]int {
	failures := make(map[string]int)
	for _, outcomes := range f.Outcomes {
		for _, o := range outcomes {
			if o.failed() {
				failures[o.failure()]++
			}
		}
	}
	return failures
}

// String returns the figures in one line, followed by a line for each kind of failure.
func (f Figures) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d calls, %d served in %v", f.Made, f.Served, f.Took.Round(time.Millisecond))
	switch slowdown := f.Slowdown(); {
	case f.Optimum < 0:
		b.WriteString(" (the optimum is not known)")
	case math.IsInf(slowdown, 1):
		b.WriteString(" (the optimum is 0s)")
	default:
		fmt.Fprintf(&b, " (%.3f of the optimum)", slowdown)
	}
	fmt.Fprintf(&b, "; %d allowed, %d refused; added delay: median %v, p99 %v; longest gap %v",
		f.Allowed, f.Refused, f.Median.Round(time.Millisecond), f.P99.Round(time.Millisecond), f.LongestGap.Round(time.Millisecond))
	for _, figure := range []struct {
		name  string
		value float64
	}{{"used", f.Used}, {"CV of gaps", f.GapCV}, {"Jain", f.Jain}} {
		if !math.IsNaN(figure.value) {
			fmt.Fprintf(&b, "; %s %.3f", figure.name, figure.value)
		}
	}
	failures := f.Failures()
	for _, text := range slices.Sorted(maps.Keys(failures)) {
		fmt.Fprintf(&b, "\n%d × %s", failures[text], text)
	}
	return b.String()
}

func (o *Outcome) failed() bool { return o.Err != nil || o.Status >= http.StatusBadRequest }

func (o *Outcome) failure() string {
	if o.Err != nil {
		return o.Err.Error()
	}
	return fmt.Sprintf("%d %s", o.Status, http.StatusText(o.Status))
}

// count fills in the figures that need no Limiter to compare with.
func (f *Figures) count(latency time.Duration) {
	var delays []time.Duration
	for _, outcomes := range f.Outcomes {
		f.Made += len(outcomes)
		for _, o := range outcomes {
			if o.failed() {
				continue
			}
			f.Served++
			if !o.Start.IsZero() {
				delays = append(delays, o.End.Sub(o.Start)-max(latency, 0))
			}
		}
	}
	slices.Sort(delays)
	if n := len(delays); n > 0 {
		f.Median, f.P99 = delays[n/2], delays[n*99/100]
	}
	f.Allowed, f.Refused = len(f.Arrivals.Allowed()), len(f.Arrivals.Refused())
	f.GapCV, f.LongestGap = f.Arrivals.GapCV(), f.Arrivals.LongestGap()
	f.Jain = f.Arrivals.Jain(func(a Arrival) string { return a.RemoteAddr })
}

// compare fills in Used and Optimum, which compare the run with a fresh Limiter.
func (f *Figures) compare(s *Scenario, begun time.Time) {
	f.Used, f.Optimum = math.NaN(), -1
	if s.Limiter != nil && fresh(s.Limiter) == nil {
		return // no Limiter without the state of the run
	}
	f.Used = f.Arrivals.Used(s.Limiter)
	if batch, cost, ok := f.batch(s.Load); ok {
		f.Optimum = batch.optimum(s.Limiter, begun, s.Latency, cost)
	}
}

// batch returns the Batch that was sent, and the cost of each request. It returns false unless one client
// sent exactly the Batch and every request was allowed and served.
func (f *Figures) batch(load Workload) (b Batch, cost int64, ok bool) {
	if b, ok = load.(Batch); !ok {
		return b, 0, false
	}
	cost, same := f.Arrivals.Allowed().cost()
	return b, cost, same && len(f.Outcomes) == 1 && b.Requests == f.Made && f.Served == f.Made && f.Allowed == f.Made
}

// cost returns the cost of a request, and whether all requests had the same cost.
func (a Arrivals) cost() (cost int64, same bool) {
	for i, x := range a {
		if i > 0 && x.Cost != cost {
			return 0, false
		}
		cost = x.Cost
	}
	return cost, len(a) > 0
}
