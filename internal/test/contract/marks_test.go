package contract

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// A nest is a layer that sends its own requests.
type nest struct {
	http.RoundTripper
	around func(n nest, req *http.Request) (*http.Response, error)
}

func (n nest) RoundTrip(req *http.Request) (*http.Response, error) { return n.around(n, req) }
func (n nest) Unwrap() http.RoundTripper                           { return n.RoundTripper }

// usedUpTransport returns a Transport whose next request waits for a minute.
func usedUpTransport(t *testing.T) (*headway.Transport, *kit.Answers) {
	t.Helper()
	answers := kit.InTurn(kit.UsedUp())
	transport := &headway.Transport{Base: answers}
	kit.Prime(t, transport)
	return transport, answers
}

// requireWaits checks that a request with that context would wait for a minute.
func requireWaits(ctx context.Context, t *testing.T, transport http.RoundTripper) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err := kit.Get(ctx, transport, kit.URL)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	var refused *headway.LimitError
	require.ErrorAs(t, err, &refused)
}

// A sent request leaves no mark in the caller's context, nor in the context of the response's request.
func TestMarkEndsWithTheResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared, _ := usedUpTransport(t)
		req := kit.NewRequest(t, kit.URL)
		resp, err := (&headway.Transport{Base: shared}).RoundTrip(req)
		require.NoError(t, err)
		for _, ctx := range []context.Context{req.Context(), resp.Request.Context()} {
			requireWaits(ctx, t, shared)
		}
	})
}

// The response's Request is the caller's request.
func TestResponseIsToTheCallersRequest(t *testing.T) {
	for name, transport := range map[string]*headway.Transport{
		"alone":      {Base: kit.InTurn(kit.Status(200))},
		"two":        {Base: &headway.Transport{Base: kit.InTurn(kit.Status(200))}},
		"three":      {Base: &headway.Transport{Base: wrapper{&headway.Transport{Base: kit.InTurn(kit.Status(200))}}}},
		"resent":     {Base: &headway.Transport{Base: kit.InTurn(kit.Status(429, "Retry-After", "1"), kit.Status(200))}},
		"with costs": {Base: &headway.Transport{Base: kit.InTurn(kit.Status(200))}, Ceiling: rate.NewLimiter(1, 1)},
	} {
		kit.Bubble(t, name, func(t *testing.T) {
			req := kit.NewRequest(t, kit.URL)
			req = req.WithContext(headway.WithCost(req.Context(), "tokens", 3))
			before := *req
			resp, err := transport.RoundTrip(req)
			require.NoError(t, err)
			if name != "resent" { // a resend is a copy with another Body
				require.Same(t, req, resp.Request)
			}
			require.Equal(t, before.Context(), resp.Request.Context())
			require.Equal(t, &before, req)
		})
	}
}

// A layer in between may send a request twice. Both belong to the upper Transport.
func TestHedgedRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared, answers := usedUpTransport(t)
		upper := &headway.Transport{Base: nest{shared, func(n nest, req *http.Request) (*http.Response, error) {
			hedge := func() (*http.Response, error) { return n.RoundTripper.RoundTrip(req.Clone(req.Context())) }
			var first sync.WaitGroup
			first.Go(func() { _, _ = hedge() })
			first.Wait()
			return hedge()
		}}}
		kit.Prime(t, upper)
		require.Equal(t, 3, answers.Sent())
	})
}

// A layer may use the same context for a request to another Transport, such as for a token. That Transport paces it.
func TestTransportElsewherePaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		elsewhere, tokens := usedUpTransport(t)
		answers := kit.InTurn(kit.Status(200))
		upper := &headway.Transport{Base: nest{&headway.Transport{Base: answers}, func(n nest, req *http.Request) (*http.Response, error) {
			requireWaits(req.Context(), t, elsewhere)
			return n.RoundTripper.RoundTrip(req)
		}}}
		kit.Prime(t, upper)
		require.Equal(t, 1, tokens.Sent())
		require.Equal(t, 1, answers.Sent())
	})
}

// Below two Transports, a request belongs to the one that sent it. Requests that come directly are paced, all at the
// same time.
func TestTwoAboveASharedOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared, answers := usedUpTransport(t)
		var all sync.WaitGroup
		for _, upper := range []*headway.Transport{{Base: shared}, {Base: wrapper{shared}}} {
			all.Go(func() { kit.Prime(t, upper) })
		}
		for range 3 {
			all.Go(func() { requireWaits(t.Context(), t, shared) })
		}
		all.Wait()
		require.Equal(t, 3, answers.Sent())
	})
}
