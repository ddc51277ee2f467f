package interop_test

import (
	"fmt"
	"net/http"
	"time"

	"github.com/headway-go/headway/ratelimittest"
)

// figures are the results of a client with a load, or the means of several runs.
type figures struct {
	calls, served float64 // calls, and those that were served in the end
	refused       float64 // requests, per 100 that were granted
	finished      float64 // the time of the last response, over the even time
	busiest       float64 // most requests in any tenth of a window, over an even share; 0 without a window
}

// undone returns how many of 100 calls were not served.
func (f figures) undone() float64 { return 100 * (f.calls - f.served) / f.calls }

// count computes the figures of a run. took is its duration.
func (s server) count(outcomes [][]ratelimittest.Outcome, sent ratelimittest.Arrivals, took, even time.Duration) figures {
	var f figures
	for _, one := range outcomes {
		for _, o := range one {
			f.calls++
			if o.Err == nil && o.Status < http.StatusBadRequest {
				f.served++
			}
		}
	}
	f.refused = 100 * float64(len(sent.Refused())) / float64(max(len(sent.Allowed()), 1))
	f.finished = took.Seconds() / even.Seconds()
	if s.window > 0 {
		f.busiest = float64(sent.Busiest(s.window/10)) / (float64(s.quota) / 10)
	}
	return f
}

// mean returns the means of several runs.
func mean(all []figures) figures {
	var m figures
	n := float64(len(all))
	for _, f := range all {
		m.calls += f.calls / n
		m.served += f.served / n
		m.refused += f.refused / n
		m.finished += f.finished / n
		m.busiest += f.busiest / n
	}
	return m
}

// String returns the figures as a line of a test's log.
func (f figures) String() string {
	return fmt.Sprintf("%3.0f of %3.0f done, refused %6.1f per 100, ÷ even %5.2f, busiest tenth %4.1f", f.served, f.calls, f.refused, f.finished, f.busiest)
}
