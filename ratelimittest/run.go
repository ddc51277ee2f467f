package ratelimittest

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

// Run plays a Scenario in a testing/synctest bubble of its own, where hours of
// pacing take milliseconds, and returns its figures. Run must not be called within a
// bubble.
//
// Whatever clients and handlers wait for has to be made within the bubble, by
// NewClient, NewCall or the call itself: channels, timers, contexts, an SDK's client
// or its semaphore. The bubble's clock stands still while somebody waits for one
// from outside, such as that of a package's variable, and the test hangs.
//
// Run returns when all calls are over, all handlers have returned, and the responses
// that clients still wait for, or read, have arrived. Goroutines that clients leave
// behind for anything else have to be ended by Close, or the bubble panics: "main
// bubble goroutine has exited but blocked goroutines remain".
//
// Run ends the test, by t.Fatal, where s is not what can be run: Start after 2262, a
// nil Fault, a NewClient or NewCall that returns nil; and where its clients send more
// than 100,000 requests at one instant, as those that send again at once do if there
// is no Latency, or after the end of the Duration or of all calls, as those do that do
// not heed their context. From then on they get errors; one that sends as many again
// panics, with the line that sends them.
func Run(t *testing.T, s Scenario) (f Figures) {
	t.Helper()
	if mistake := s.mistake(); mistake != "" {
		t.Fatal("ratelimittest: " + mistake)
	}
	synctest.Test(t, func(t *testing.T) {
		t.Helper()
		f = s.play(t)
	})
	return f
}

func (s *Scenario) play(t *testing.T) Figures {
	t.Helper()
	_ = sleep(t.Context(), s.start().Sub(clock())) // if the test is over, all that follows fails
	h := s.handler()
	ctx, end := s.within(t.Context())
	defer end(nil)
	network := &network{server: s.behindFaults(h), latency: s.Latency, end: end}
	context.AfterFunc(ctx, network.finish)
	defer network.traffic.drain() // whoever ends the test
	var closing sync.Once
	defer closing.Do(s.close)
	calls := s.calls(t, network)

	f := Figures{Outcomes: make([][]Outcome, len(calls))}
	begun := clock()
	var clients sync.WaitGroup
	for i, call := range calls {
		clients.Go(func() { f.Outcomes[i] = s.load().Do(ctx, s.inTime(call)) })
	}
	clients.Wait()
	f.Took = clock().Sub(begun)
	network.finish()
	closing.Do(s.close)
	network.traffic.drain()
	if err := network.failure(); err != nil {
		t.Fatal(err)
	}
	f.Arrivals = h.Log.Arrivals()
	f.count(s.Latency)
	f.compare(s, begun)
	return f
}

// handler is the server without its Faults.
func (s *Scenario) handler() *Handler {
	return &Handler{
		Limiter: anew(s.Limiter), Dialect: s.Dialect, RetryAfter: s.RetryAfter,
		Client: everyone, Cost: s.Cost, Refuse: s.Refuse, Banned: s.Banned, Next: s.Next,
	}
}

// everyone has one quota for all clients.
func everyone(*http.Request) string { return "" }

// within returns the context of the calls. Of Request's it has the values, and the
// end if that has come: it is from outside the bubble, where nothing that ends
// later can be waited for without standing the bubble's clock still.
func (s *Scenario) within(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	var over error
	if s.Request != nil {
		over = context.Cause(s.Request.Context())
		ctx = context.WithoutCancel(s.Request.Context())
	}
	ctx, end := context.WithCancelCause(ctx)
	if over != nil {
		end(over)
	}
	if s.Duration <= 0 {
		return ctx, end
	}
	ctx, cancel := context.WithTimeout(ctx, s.Duration)
	return ctx, func(cause error) { end(cause); cancel() }
}

func (s *Scenario) behindFaults(server http.Handler) http.Handler {
	for _, fault := range slices.Backward(s.Faults) {
		server = fault(server)
	}
	return server
}

// A call is what a Workload calls.
type call func(context.Context) (status int, err error)

// calls makes the clients, and returns what each of them calls.
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
		made := s.NewCall(client)
		if made == nil {
			return nil
		}
		return func(ctx context.Context) (int, error) { return 0, made(ctx) }
	}
	req := s.Request
	if req == nil {
		req, _ = http.NewRequest(http.MethodGet, "http://api.test/", http.NoBody) //nolint:noctx // each copy has one; and a constant is no bad URL
	}
	return sender(client, req)
}

// inTime gives each call a deadline of its own.
func (s *Scenario) inTime(untimed call) call {
	if s.Timeout <= 0 {
		return untimed
	}
	return func(ctx context.Context) (int, error) {
		ctx, cancel := context.WithTimeout(ctx, s.Timeout)
		defer cancel()
		return untimed(ctx)
	}
}
