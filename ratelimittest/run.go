package ratelimittest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/internal/memhttp"
)

// Run plays a Scenario in a testing/synctest bubble of its own, and returns its Figures. Hours of pacing take
// milliseconds. Run must not be called inside a bubble.
//
// Clients and handlers must wait only for things made inside the bubble, by NewClient, NewCall or the call
// itself: channels, timers, contexts, an SDK's client or its semaphore. While a goroutine waits for something
// from outside, such as a channel in a package variable, the bubble's clock stands still, and the test hangs.
//
// Run returns when all calls have ended, all handlers have returned, and all responses have arrived. Close must end all
// other goroutines of clients. Otherwise the bubble panics with "main bubble goroutine has exited but blocked goroutines
// remain".
//
// Run ends the test by t.Fatal in these cases:
//
//   - The Scenario is invalid: Start is after 2262, or NewClient or NewCall returns nil.
//   - Clients send more than 100,000 requests at one instant, because they resend at once and there is no Latency.
//   - Clients send more than 100,000 requests after the end of Duration or of all calls, and ignore their context.
//
// In the last two cases all further requests fail. After 100,000 more requests Run panics on the client's
// goroutine, so that the stack shows the line that sends them.
func Run(t *testing.T, s Scenario) (f Figures) {
	t.Helper()
	if s.Start.After(time.Unix(0, math.MaxInt64)) {
		t.Fatalf("ratelimittest: Scenario.Start is %v: a bubble's clock ends in 2262", s.Start)
	}
	synctest.Test(t, func(t *testing.T) {
		t.Helper()
		f = s.play(t)
	})
	return f
}

func (s *Scenario) play(t *testing.T) Figures {
	t.Helper()
	_ = memhttp.Sleep(t.Context(), s.start().Sub(clock())) // if the test is already over, all that follows fails
	h := s.handler()
	ctx, end := s.callContext(t.Context())
	defer end(nil)
	network := &network{server: s.front(h), latency: s.Latency, end: end, most: cmp.Or(s.most, maxRequests)}
	context.AfterFunc(ctx, func() { _ = network.finish() })
	defer network.drain() // even if the test ends early
	closing := func() {}
	if s.Close != nil {
		closing = sync.OnceFunc(s.Close)
	}
	defer closing()
	calls := s.calls(t, network)

	f := Figures{Outcomes: make([][]Outcome, len(calls))}
	begun := clock()
	var clients sync.WaitGroup
	for i, call := range calls {
		clients.Go(func() { f.Outcomes[i] = s.load().Do(ctx, s.withTimeout(call)) })
	}
	clients.Wait()
	f.Took = clock().Sub(begun)
	_ = network.finish() // what goes on may still fail
	closing()
	network.drain()
	if err := network.finish(); err != nil {
		t.Fatal(err)
	}
	f.Arrivals = h.Arrivals()
	f.count(s.Latency)
	f.compare(s, begun)
	return f
}

// handler returns the server without its Faults.
func (s *Scenario) handler() *Handler {
	return &Handler{
		Limiter: freshOrSame(s.Limiter), Dialect: s.Dialect, RetryAfter: s.RetryAfter,
		Client: oneClient, Cost: s.Cost, Refuse: s.Refuse, Banned: s.Banned, Next: s.Next,
	}
}

// oneClient is a Handler.Client by which all clients share one quota.
func oneClient(*http.Request) string { return "" }

// callContext returns the context of the calls. It has the values of Request's context, and is done if that
// is already done. A later end of Request's context is ignored. That context is from outside the bubble, and
// waiting for it would stop the bubble's clock.
func (s *Scenario) callContext(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	var ended error
	if s.Request != nil {
		ended = context.Cause(s.Request.Context())
		ctx = context.WithoutCancel(s.Request.Context())
	}
	ctx, end := context.WithCancelCause(ctx)
	if ended != nil {
		end(ended)
	}
	if s.Duration <= 0 {
		return ctx, end
	}
	ctx, cancel := context.WithTimeout(ctx, s.Duration)
	return ctx, func(cause error) { end(cause); cancel() }
}

// front returns the server behind what is in front of it.
func (s *Scenario) front(server http.Handler) http.Handler {
	if s.Front != nil {
		return s.Front(server)
	}
	return server
}

// A call is the function that a Workload calls.
type call func(context.Context) (status int, err error)

// calls makes the clients. It returns the call of each.
func (s *Scenario) calls(t *testing.T, network *network) []call {
	t.Helper()
	calls := make([]call, max(s.Clients, 1))
	for i := range calls {
		base := network.from(fmt.Sprintf("198.51.100.%d:%d", i%250, 1024+i/250))
		client := &http.Client{Transport: base}
		if s.NewClient != nil {
			client = s.NewClient(base)
		}
		if client == nil {
			t.Fatal("ratelimittest: Scenario.NewClient returned nil")
		}
		if calls[i] = s.call(client); calls[i] == nil {
			t.Fatal("ratelimittest: Scenario.NewCall returned nil")
		}
	}
	return calls
}

func (s *Scenario) call(client *http.Client) call {
	if s.NewCall != nil {
		send := s.NewCall(client)
		if send == nil {
			return nil
		}
		return func(ctx context.Context) (int, error) { return 0, send(ctx) }
	}
	req := s.Request
	if req == nil {
		req, _ = http.NewRequest(http.MethodGet, "http://api.test/", http.NoBody) //nolint:noctx // sender sets the context; a constant URL is valid
	}
	return sender(client, req)
}

// withTimeout gives each call its own deadline.
func (s *Scenario) withTimeout(untimed call) call {
	if s.Timeout <= 0 {
		return untimed
	}
	return func(ctx context.Context) (int, error) {
		ctx, cancel := context.WithTimeout(ctx, s.Timeout)
		defer cancel()
		return untimed(ctx)
	}
}
