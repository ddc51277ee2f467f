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

// A wrapper is a layer with an Unwrap method.
type wrapper struct{ http.RoundTripper }

func (w wrapper) Unwrap() http.RoundTripper { return w.RoundTripper }

// An embedding layer embeds a Transport.
type embedding struct{ *headway.Transport }

func (e embedding) RoundTrip(req *http.Request) (*http.Response, error) {
	return e.Transport.RoundTrip(req)
}

// An opaque layer does not reveal what it wraps.
type opaque struct{ base http.RoundTripper }

func (o opaque) RoundTrip(req *http.Request) (*http.Response, error) { return o.base.RoundTrip(req) }

// With two Transports, only the upper one paces, holds and resends.
func TestOneOfTwoLayersResends(t *testing.T) {
	for _, row := range []struct {
		name  string
		stack func(lower *headway.Transport) http.RoundTripper
		sent  int
	}{
		{"next to each other", func(lower *headway.Transport) http.RoundTripper { return lower }, 4},
		{"one between them", func(lower *headway.Transport) http.RoundTripper { return wrapper{lower} }, 4},
		{"one that embeds it", func(lower *headway.Transport) http.RoundTripper { return embedding{lower} }, 4},
		{"two between them", func(lower *headway.Transport) http.RoundTripper { return wrapper{wrapper{lower}} }, 16},
		{"one between them that says nothing", func(lower *headway.Transport) http.RoundTripper { return opaque{lower} }, 16},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answers := kit.InTurn(kit.Status(429, "Retry-After", "1"))
				lower := &headway.Transport{Base: answers}
				kit.Prime(t, &headway.Transport{Base: row.stack(lower)})
				require.Equal(t, row.sent, answers.Sent())
				require.Equal(t, row.sent > 4, len(lower.State()) > 0)
			})
		})
	}
}

// A Transport in shadow mode delays and resends nothing, so the other Transport does.
func TestShadowOnTopLeavesItToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := kit.InTurn(kit.Status(429, "Retry-After", "1"))
		lower := &headway.Transport{Base: answers}
		shadow := &headway.Transport{Base: lower, Shadow: true}
		kit.Prime(t, shadow)
		require.Equal(t, 1+headway.DefaultMaxRetries, answers.Sent())
		require.Len(t, lower.State(), 1)
		require.Len(t, shadow.State(), 1)
	})
}

// A Transport below itself returns an error instead of an endless loop.
func TestTransportBelowItself(t *testing.T) {
	for _, row := range []struct {
		name string
		base func(t *headway.Transport) http.RoundTripper
	}{
		{"a layer between", func(t *headway.Transport) http.RoundTripper { return wrapper{t} }},
		{"embedded", func(t *headway.Transport) http.RoundTripper { return embedding{t} }},
	} {
		t.Run(row.name, func(t *testing.T) {
			transport := &headway.Transport{}
			transport.Base = row.base(transport)
			body := kit.NewTrackedBody("text")
			req := kit.NewRequest(t, kit.URL)
			req.Body = body
			resp, err := transport.RoundTrip(req)
			if err == nil {
				require.NoError(t, resp.Body.Close())
			}
			require.ErrorIs(t, err, headway.ErrLoop)
			require.Equal(t, 1, body.Closed)
		})
	}
}

// Unwrap loops and nil layers do not hang the search for Transports.
func TestOddLayers(t *testing.T) {
	for _, row := range []struct {
		name   string
		unwrap func(*odd) http.RoundTripper
	}{
		{"a circle", func(o *odd) http.RoundTripper { return o }},
		{"no Transport", func(*odd) http.RoundTripper { return (*headway.Transport)(nil) }},
		{"a layer without its Transport", func(*odd) http.RoundTripper { return embedding{} }},
	} {
		t.Run(row.name, func(t *testing.T) {
			answers := kit.InTurn(kit.Status(200))
			kit.Prime(t, &headway.Transport{Base: &odd{answers, row.unwrap}})
			require.Equal(t, 1, answers.Sent())
		})
	}
}

// An odd layer's Unwrap returns a layer that it does not use.
type odd struct {
	http.RoundTripper
	unwrap func(*odd) http.RoundTripper
}

func (o *odd) Unwrap() http.RoundTripper { return o.unwrap(o) }

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
		"three":      {Base: &headway.Transport{Base: wrapper{&headway.Transport{Base: kit.InTurn(kit.Status(200))}}}},
		"resent":     {Base: &headway.Transport{Base: kit.InTurn(kit.Status(429, "Retry-After", "1"), kit.Status(200))}},
		"with costs": {Base: &headway.Transport{Base: kit.InTurn(kit.Status(200))}, Ceiling: rate.NewLimiter(1, 1)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
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
		})
	}
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
