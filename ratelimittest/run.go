package ratelimittest

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A Workload is what one client has to do: a Batch, a Schedule, or a test's own. Do
// makes calls, each with a context made from ctx, and returns when all are over,
// with one Outcome for each. It may call concurrently, and is itself called so, once
// for each client of a Scenario.
type Workload interface {
	Do(ctx context.Context, call func(context.Context) (status int, err error)) []Outcome
}

// A Scenario is a server, the clients that share its quota, and what they have to
// do. Its zero value is one client that does nothing, and a server that limits
// nothing. The functions and handlers in it are called concurrently, but for Limiter.
type Scenario struct {
	// Limiter makes the server's Limiter, which has decided nothing yet. It is
	// called again for those figures that compare the run with what the server
	// would have granted. nil: the server limits nothing. A run may call what it
	// returns at times of its own, so it must depend on nothing but what is passed in.
	Limiter func() Limiter
	// Dialect, RetryAfter, Cost, Refuse and Next are those of the Handler.
	Dialect, RetryAfter Dialect
	Cost                func(*http.Request) int64
	Refuse, Next        http.Handler
	// Faults stand before the Handler, the first one outermost. What they answer
	// themselves is in none of the figures of arrivals.
	Faults []Fault

	// NewClient makes a client under test that sends its requests by base. It is
	// called once for each client. nil: a client that does nothing about limits.
	NewClient func(base http.RoundTripper) *http.Client
	// NewCall makes what a client calls time and again, such as a method of an SDK
	// that stands on it. It is called once for each client. nil: it sends Request.
	NewCall func(*http.Client) func(context.Context) error
	// Request is what is sent if NewCall is nil. Of its context, which is from
	// outside the bubble, only the values count, and whether it is done. nil: a GET.
	Request *http.Request
	// Clients is how many clients there are, each with an address of its own and
	// all on one quota. 0 or negative: one.
	Clients int
	// Load is what each client has to do. nil: nothing.
	Load Workload
	// Latency is the time that a request spends on the network, see Transport.
	Latency time.Duration

	// Start is when the run begins, which matters to windows that are aligned to
	// the clock. Before 2000: the first second of 2030.
	Start time.Time
	// Timeout is each call's own deadline, from when it is made. 0 or negative: none.
	Timeout time.Duration
	// Duration is when the context of the calls ends. 0 or negative: when all are made.
	Duration time.Duration
}

// Run plays a Scenario in a testing/synctest bubble of its own, where hours of
// pacing take milliseconds, and returns its figures. A client must leave no
// goroutine behind. Run must not be called within a bubble.
func Run(t *testing.T, s Scenario) (f Figures) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f = s.play(t.Context()) })
	return f
}

func (s *Scenario) play(ctx context.Context) Figures {
	_ = sleep(ctx, s.start().Sub(clock())) // if the test is over, all that follows fails
	h := &Handler{
		Limiter: s.limiter(), Dialect: s.Dialect, RetryAfter: s.RetryAfter,
		Client: everyone, Cost: s.Cost, Refuse: s.Refuse, Next: s.Next,
	}
	var handlers sync.WaitGroup
	server := counted(s.behindFaults(h), &handlers)
	ctx, cancel := s.within(ctx)
	defer cancel()
	f := Figures{Outcomes: make([][]Outcome, max(s.Clients, 1))}
	begun := clock()
	var clients sync.WaitGroup
	for i := range f.Outcomes {
		base := &Transport{Handler: server, Latency: s.Latency, RemoteAddr: fmt.Sprintf("198.51.100.%d:%d", i%250, 1024+i/250)}
		clients.Go(func() { f.Outcomes[i] = s.do(ctx, base) })
	}
	clients.Wait()
	f.Took = clock().Sub(begun)
	synctest.Wait() // the last requests have reached their handlers
	handlers.Wait() // one may work on for a client that has gone
	f.Arrivals = h.Log.Arrivals()
	f.count(s.Latency)
	f.compare(s, begun)
	return f
}

// within returns the context of the calls. Of Request's it has the values, and the
// end if that has come: it is from outside the bubble, where nothing that ends
// later can be waited for without standing the bubble's clock still.
func (s *Scenario) within(ctx context.Context) (context.Context, context.CancelFunc) {
	var over error
	if s.Request != nil {
		over = context.Cause(s.Request.Context())
		ctx = context.WithoutCancel(s.Request.Context())
	}
	ctx, end := context.WithCancelCause(ctx)
	if over != nil {
		end(over)
	}
	cancel := func() {}
	if s.Duration > 0 {
		ctx, cancel = context.WithTimeout(ctx, s.Duration)
	}
	return ctx, func() { cancel(); end(nil) }
}

// counted is a handler that tells when all its requests have been served.
func counted(h http.Handler, serving *sync.WaitGroup) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		serving.Add(1)
		defer serving.Done()
		h.ServeHTTP(w, r)
	})
}

// everyone has one quota for all clients.
func everyone(*http.Request) string { return "" }

func (s *Scenario) start() time.Time {
	if s.Start.Before(clock()) {
		return time.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC)
	}
	return s.Start
}

func (s *Scenario) limiter() Limiter {
	if s.Limiter == nil {
		return nil
	}
	return s.Limiter()
}

func (s *Scenario) behindFaults(server http.Handler) http.Handler {
	for _, fault := range slices.Backward(s.Faults) {
		server = fault(server)
	}
	return server
}

func (s *Scenario) do(ctx context.Context, base http.RoundTripper) []Outcome {
	if s.Load == nil {
		return nil
	}
	client := &http.Client{Transport: base}
	if s.NewClient != nil {
		client = s.NewClient(base)
	}
	return s.Load.Do(ctx, s.inTime(s.call(client)))
}

// inTime gives each call a deadline of its own.
func (s *Scenario) inTime(call func(context.Context) (int, error)) func(context.Context) (int, error) {
	if s.Timeout <= 0 {
		return call
	}
	return func(ctx context.Context) (int, error) {
		ctx, cancel := context.WithTimeout(ctx, s.Timeout)
		defer cancel()
		return call(ctx)
	}
}

func (s *Scenario) call(client *http.Client) func(context.Context) (int, error) {
	if s.NewCall != nil {
		call := s.NewCall(client)
		return func(ctx context.Context) (int, error) { return 0, call(ctx) }
	}
	req := s.Request
	if req == nil {
		req, _ = http.NewRequest(http.MethodGet, "http://api.test/", http.NoBody) //nolint:noctx // each copy has one; and a constant is no bad URL
	}
	return sender(client, req)
}
