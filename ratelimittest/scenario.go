package ratelimittest

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"time"
)

// A Scenario is a server, the clients that share its quota, and what they have to
// do. Its zero value is one client that does nothing, and a server that limits
// nothing. It can be run again if what is in it can: a Limiter that is a Fresher, and
// a Next, a Request and so on that remember nothing. NewClient, NewCall and Close are
// called on the test's goroutine, the other functions and handlers concurrently.
type Scenario struct {
	// Limiter is the server's. It is one like this that decides, and others for the
	// figures that compare the run with what the server would have granted, see
	// Fresher. One that is no Fresher decides itself, and those figures are not
	// known. nil: the server limits nothing.
	Limiter Limiter
	// Dialect, RetryAfter, Cost, Refuse and Banned are those of the Handler.
	Dialect, RetryAfter Dialect
	Cost                func(*http.Request) int64
	Refuse, Banned      http.Handler
	// Next is the API itself, that of the Handler: what it answers is what the clients
	// get for a request that is allowed, so for an SDK it has to be what that can read.
	// nil: an empty 200 OK.
	Next http.Handler
	// Faults stand before the Handler, the first one outermost. What they answer
	// themselves is in none of the figures of arrivals.
	Faults []Fault

	// NewClient makes a client under test that sends its requests by base. It is
	// called once for each client. nil: a client that does nothing about limits.
	NewClient func(base http.RoundTripper) *http.Client
	// NewCall makes what a client calls time and again, such as a method of an SDK
	// that stands on it. It is called once for each client, with that of NewClient if
	// there is one, and else with one that does nothing about limits; a call that needs a
	// number of its own can count, by an atomic.Int64. nil: it sends Request.
	NewCall func(*http.Client) func(context.Context) error
	// Close ends what the clients have left running, when all calls are over, or when
	// NewClient or NewCall ends the test: then it may find that not all has been made. It
	// is for an SDK with a goroutine of its own, which would otherwise outlive the
	// bubble, and has to wait for that to end, unless all it waits for is the response
	// to a request. t.Cleanup is not for this: it runs after the bubble. nil: nothing is.
	Close func()
	// Request is what is sent if NewCall is nil. Of its context, which is from
	// outside the bubble, only the values count, and whether it is done. nil: a GET.
	Request *http.Request
	// Clients is how many clients there are, each with an address of its own and
	// all on one quota. 0 or negative: one.
	Clients int
	// Load is what each client has to do. nil: nothing.
	Load Workload
	// Latency is the time that a request spends on the network, see Transport. A
	// client that sends again at once needs some, or no time passes for it.
	Latency time.Duration

	// Start is when the run begins, by the bubble's clock. It matters to windows that
	// are aligned to the clock, and to what changes in mid-run: the times of a
	// LowerQuota, PushBack, Instead or Understate are such as Start.Add(time.Minute)
	// for the same Start. Before 2000: the first second of 2030, in UTC. A bubble's
	// clock ends in 2262.
	Start time.Time
	// Timeout is each call's own deadline, from when it is made. 0 or negative: none.
	Timeout time.Duration
	// Duration is when the context of the calls ends, which they have to heed, see Run. 0
	// or negative: when all are made.
	Duration time.Duration
}

// mistake says why s cannot be run, "" if it can.
func (s *Scenario) mistake() string {
	if s.Start.After(time.Unix(0, math.MaxInt64)) {
		return fmt.Sprintf("Scenario.Start is %v: a bubble's clock ends in 2262", s.Start)
	}
	for i, fault := range s.Faults {
		if fault == nil {
			return fmt.Sprintf("Scenario.Faults[%d] is nil", i)
		}
	}
	return ""
}

func (s *Scenario) start() time.Time {
	if s.Start.Before(clock()) {
		return time.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC)
	}
	return s.Start
}

func (s *Scenario) close() {
	if s.Close != nil {
		s.Close()
	}
}

func (s *Scenario) load() Workload {
	if s.Load == nil {
		return Batch{}
	}
	return s.Load
}
