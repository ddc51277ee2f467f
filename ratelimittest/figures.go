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

// Figures are what a run of a Scenario comes to. A figure that has no meaning for
// it is NaN, or 0 for a time other than Optimum. No comparison with NaN holds, so a
// test should ask for what must be, as in !(f.Used > 0.9).
type Figures struct {
	// Made is the number of calls that the clients were asked to make, Served of
	// those that came to an end without an error or a status of 400 or more.
	Made, Served int
	// Allowed and Refused count what arrived at the Handler, resends included.
	Allowed, Refused int
	// Took is the time from the start of the workload to the last outcome.
	Took time.Duration
	// Optimum is the time that it would have taken a clairvoyant client, see
	// Batch.Optimum; the time that Next and Faults take is not in it. It is known
	// for one client with a Batch, or with a Workload that embeds one, if every call
	// was served, by one request each that the Limiter allowed, all at the same cost;
	// and if that is nil or a Fresher and tells until when it refuses, which a
	// Concurrency does not, nor an All that has one in it. Else negative.
	Optimum time.Duration
	// Used is the part of the quota that was used, see Arrivals.Used. A run that
	// ends as a window begins has left most of that one. NaN without a Limiter that
	// is a Fresher.
	Used float64
	// GapCV is how even the requests arrived, see Arrivals.GapCV.
	GapCV float64
	// LongestGap is the longest idle time, in which nothing arrived, between the
	// first and the last arrival. For Arrivals.Busiest a width is needed.
	LongestGap time.Duration
	// Jain is how fairly the clients shared the quota, see Arrivals.Jain.
	Jain float64
	// Median and P99 say how long a call that was served took beyond the latency of
	// one request. A call whose Outcome has no Start does not count.
	Median, P99 time.Duration

	Arrivals Arrivals    // what arrived, for other figures
	Outcomes [][]Outcome // of each client
}

// RefusedPerMille returns the refused requests per 1000 that were allowed; NaN if
// nothing arrived, +Inf if nothing was allowed.
func (f Figures) RefusedPerMille() float64 { return 1000 * float64(f.Refused) / float64(f.Allowed) }

// Slowdown returns Took over Optimum: 1 for a client that could not have been faster.
// It is +Inf if the optimum is not known, or 0 and the client took longer. It tells
// nothing of refusals, for which see RefusedPerMille: a client that sends what is
// refused again and again may be the fastest.
func (f Figures) Slowdown() float64 {
	switch {
	case f.Optimum < 0:
		return math.Inf(1)
	case f.Took == f.Optimum:
		return 1
	}
	return float64(f.Took) / float64(f.Optimum)
}

// Failures returns how often calls failed, by the text of the error or status.
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

// String returns the figures in a line or a few, for a test's log.
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

// count fills in what needs no comparison.
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

// compare fills in what is measured against the server's own limiter.
func (f *Figures) compare(s *Scenario, begun time.Time) {
	f.Used, f.Optimum = math.NaN(), -1
	if s.Limiter != nil && fresh(s.Limiter) == nil {
		return // there is none that has not seen the run
	}
	f.Used = f.Arrivals.Used(s.Limiter)
	batch, cost, ok := f.batch(s.Load)
	if !ok {
		return
	}
	if optimum, err := batch.optimum(s.Limiter, begun, s.Latency, cost); err == nil {
		f.Optimum = optimum
	}
}

// batch returns what one client sent, if it was nothing but a Batch, with what each
// of its requests cost.
func (f *Figures) batch(load Workload) (b Batch, cost int64, ok bool) {
	if b, ok = batchOf(load); !ok {
		return b, 0, false
	}
	cost, same := f.Arrivals.Allowed().cost()
	one := len(f.Outcomes) == 1 && b.Requests == f.Made
	return b, cost, one && same && f.Served == f.Made && f.Allowed == f.Made
}

// cost returns what each request cost, if all cost the same.
func (a Arrivals) cost() (cost int64, same bool) {
	for i, x := range a {
		if i > 0 && x.Cost != cost {
			return 0, false
		}
		cost = x.Cost
	}
	return cost, len(a) > 0
}
