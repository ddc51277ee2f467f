package ratelimittest

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"time"
)

// Figures are what a run of a Scenario comes to. A figure that has no meaning for
// it is NaN, or 0 for a time.
type Figures struct {
	// Sent is the number of requests that the clients were asked to send, Served
	// of those whose response was neither an error nor a refusal (a status below
	// 400, or what else the server's own handler answered to an allowed request).
	Sent, Served int
	// Allowed and Refused count what arrived at the server, resends included.
	Allowed, Refused int
	// Took is the time from the first request to the last outcome.
	Took time.Duration
	// Optimum is the time that it would have taken a clairvoyant client. It is known
	// for one client with a Batch, see Batch.Optimum.
	Optimum time.Duration
	// Used is the part of the quota that was used, see Arrivals.Used. NaN without a Limiter.
	Used float64
	// GapCV is how even the requests arrived, see Arrivals.GapCV.
	GapCV float64
	// LongestGap is the longest time in which nothing arrived, between the first
	// and the last arrival.
	LongestGap time.Duration
	// Jain is how fairly the clients shared the quota, see Arrivals.Jain.
	Jain float64
	// Median and P99 say how long a request that was served took beyond the latency.
	Median, P99 time.Duration

	Arrivals Arrivals    // what arrived, for other figures
	Outcomes [][]Outcome // of each client
}

// RefusedPerMille returns the refused requests per 1000 that were allowed; NaN if
// nothing arrived, +Inf if nothing was allowed.
func (f *Figures) RefusedPerMille() float64 { return 1000 * float64(f.Refused) / float64(f.Allowed) }

// Slowdown returns Took over Optimum; NaN if the latter is not known.
func (f *Figures) Slowdown() float64 {
	if f.Optimum <= 0 {
		return math.NaN()
	}
	return float64(f.Took) / float64(f.Optimum)
}

// String returns the figures in one line, for a test's log.
func (f *Figures) String() string {
	return fmt.Sprintf("%d sent, %d served; %d allowed, %d refused (%.1f ‰); took %v, %.3f of the optimum; used %.3f; CV %.2f; longest gap %v; Jain %.2f; added delay %v, p99 %v",
		f.Sent, f.Served, f.Allowed, f.Refused, f.RefusedPerMille(), f.Took, f.Slowdown(), f.Used, f.GapCV, f.LongestGap, f.Jain, f.Median, f.P99)
}

// count fills in what needs no comparison.
func (f *Figures) count(latency time.Duration) {
	var delays []time.Duration
	for _, outcomes := range f.Outcomes {
		f.Sent += len(outcomes)
		for _, o := range outcomes {
			if o.Err == nil && o.Status < http.StatusBadRequest {
				f.Served++
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
	f.Used = math.NaN()
	if s.Limiter == nil {
		return
	}
	f.Used = f.Arrivals.Used(s.Limiter())
	if batch, ok := s.Load.(Batch); ok && len(f.Outcomes) == 1 && s.Duration <= 0 {
		f.Optimum = batch.Optimum(s.Limiter(), begun, s.Latency)
	}
}
