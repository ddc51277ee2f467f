package ratelimittest

import (
	"context"
	"net/http"
	"time"
)

// A Scenario describes a test run: a server, the clients that share its quota, and their workload. The zero
// value is one client that sends nothing, and a server without limits.
//
// A Scenario can be run again if its parts can: the Limiter must have a Fresh, and Next, Request and the
// others must have no state. Run calls NewClient, NewCall and Close on the test's goroutine, and all other
// functions and handlers concurrently.
type Scenario struct {
	// Limiter is the server's Limiter. If it has a Fresh, the run uses a fresh copy, and so do the
	// figures that compare the run with what the server would have granted. If it has none, Limiter itself
	// decides, and these figures are not known. nil: the server limits nothing.
	Limiter Limiter
	// Dialect, RetryAfter, Cost, Refuse and Banned are the Handler's fields of these names.
	Dialect, RetryAfter Dialect
	Cost                func(*http.Request) int64
	Refuse, Banned      http.Handler
	// Next is the API itself: it serves the requests that are allowed. For an SDK, its responses must be
	// what the SDK can parse. nil: an empty 200 OK.
	Next http.Handler
	// Front returns what is in front of the Handler, such as the Wrap of a Fault. Requests to which that responds
	// itself are not among the arrivals in the figures. nil: nothing.
	Front func(http.Handler) http.Handler

	// NewClient returns a client under test, which must send its requests through base. It is called once
	// for each client. nil: a plain http.Client.
	NewClient func(base http.RoundTripper) *http.Client
	// NewCall returns the function that is one call of the workload, such as a method of an SDK. Its
	// argument is the result of NewClient, or a plain http.Client. NewCall is called once for each
	// client. To number the calls, use an atomic.Int64 in the function. nil: a call sends Request.
	NewCall func(*http.Client) func(context.Context) error
	// Close ends what the clients leave running, such as an SDK's background goroutine, which must not outlive the
	// bubble. Close must wait until that has ended, unless it only waits for the response to a request. Run calls
	// Close when all calls have ended. Run also calls it if NewClient or NewCall ends the test, when some clients
	// may not exist yet. t.Cleanup is too late, as it runs after the bubble. nil: nothing to end.
	Close func()
	// Request is what a call sends if NewCall is nil. Its context comes from outside the bubble. So Run
	// uses only the values of that context, and whether it is done. nil: a GET.
	Request *http.Request
	// Clients is the number of clients. Each has an address of its own, and all share one quota. 0 or
	// negative: one.
	Clients int
	// Load is the workload of each client. nil: no calls.
	Load Workload
	// Latency is the time that a request spends on the network, see Transport. A client that resends at
	// once needs a positive Latency, or no time passes for it.
	Latency time.Duration

	// Start is the time on the bubble's clock when the run begins. It matters to windows that are aligned to the
	// clock. It also matters to changes during the run, which then come at a time such as Start.Add(time.Minute).
	// Before 2000, as the zero time is: the first second of 2030, in UTC. The bubble's clock ends in 2262.
	Start time.Time
	// Timeout is the deadline of each call, counted from when it is made. 0 or negative: none.
	Timeout time.Duration
	// Duration is the time after which the context of all calls ends. The calls must then return, see
	// Run. 0 or negative: no limit.
	Duration time.Duration

	most int // bound on the requests of a run that never ends; 0: maxRequests
}

func (s *Scenario) start() time.Time {
	if s.Start.Before(clock()) {
		return time.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC)
	}
	return s.Start
}

func (s *Scenario) load() Workload {
	if s.Load == nil {
		return Batch{}
	}
	return s.Load
}
