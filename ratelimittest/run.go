package ratelimittest

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A Workload is what one client has to send: a Batch, a Schedule, or a test's own.
// Send returns when all of its requests are over, or when the context of req has
// ended; its Outcomes are one for each request.
type Workload interface {
	Send(client *http.Client, req *http.Request) []Outcome
}

// A Scenario is a server, the clients that share its quota, and what they have to
// send. Its zero value is one client that sends nothing to a server that limits
// nothing.
type Scenario struct {
	// Limiter makes the server's Limiter, which has decided nothing yet. It is
	// called again for those figures that compare the run with what the server
	// would have granted. nil: the server limits nothing.
	Limiter func() Limiter
	// Dialect and RetryAfter are those of the Handler.
	Dialect, RetryAfter Dialect
	// Server, if not nil, changes the server before the first request: the fields
	// of its Handler, or what stands before it. It returns what serves, nil for the
	// Handler itself.
	Server func(*Handler) http.Handler

	// Client makes a client under test that sends its requests by base. It is
	// called once for each client. nil: a client that does nothing about limits.
	Client func(base http.RoundTripper) *http.Client
	// Clients is how many clients there are, each with an address of its own and
	// all on one quota. 0 or negative: one.
	Clients int
	// Load is what each client has to send. nil: nothing.
	Load Workload
	// Request is what is sent, and may have a context of its own. nil: a GET.
	Request *http.Request
	// Latency is the time that a request spends on the network, see Transport.
	Latency time.Duration

	// Start is when the run begins, which matters to windows that are aligned to
	// the clock. Before 2000: the first second of 2030.
	Start time.Time
	// Duration is when the context of the requests ends. 0 or negative: when all is sent.
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
	h := &Handler{Limiter: s.limiter(), Dialect: s.Dialect, RetryAfter: s.RetryAfter, Client: everyone}
	server := s.server(h)
	req, cancel := s.request(ctx)
	defer cancel()

	f := Figures{Outcomes: make([][]Outcome, max(s.Clients, 1))}
	begun := clock()
	var clients sync.WaitGroup
	for i := range f.Outcomes {
		base := &Transport{Handler: server, Latency: s.Latency, RemoteAddr: fmt.Sprintf("198.51.100.%d:%d", i%250, 1024+i/250)}
		clients.Go(func() { f.Outcomes[i] = s.send(base, req) })
	}
	clients.Wait()
	f.Took = clock().Sub(begun)
	f.Arrivals = h.Log.Arrivals()
	f.count(s.Latency)
	f.compare(s, begun)
	return f
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

func (s *Scenario) server(h *Handler) http.Handler {
	if s.Server != nil {
		if server := s.Server(h); server != nil {
			return server
		}
	}
	return h
}

func (s *Scenario) request(ctx context.Context) (*http.Request, context.CancelFunc) {
	cancel := context.CancelFunc(func() {})
	req := s.Request
	if req != nil {
		ctx = req.Context()
	}
	if s.Duration > 0 {
		ctx, cancel = context.WithTimeout(ctx, s.Duration)
	}
	if req == nil {
		req, _ = http.NewRequestWithContext(ctx, http.MethodGet, "http://api.test/", http.NoBody) // a constant is no bad URL
		return req, cancel
	}
	return req.WithContext(ctx), cancel
}

func (s *Scenario) send(base http.RoundTripper, req *http.Request) []Outcome {
	if s.Load == nil {
		return nil
	}
	client := &http.Client{Transport: base}
	if s.Client != nil {
		client = s.Client(base)
	}
	return s.Load.Send(client, req)
}
