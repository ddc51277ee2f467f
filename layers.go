package headway

import (
	"context"
	"net/http"
)

// mostLayers bounds how many RoundTrippers are unwrapped, for they may go in circles.
const mostLayers = 100

// Unwrap returns the RoundTripper that sends the requests, never nil, so that
// layers can find each other: see Transport.
func (t *Transport) Unwrap() http.RoundTripper { return t.base() }

// self returns t, also of a type that has it embedded.
func (t *Transport) self() *Transport { return t }

// handOn sends a request that a Transport above this one paces. The Ceiling is over all
// that is sent.
func (t *Transport) handOn(req *http.Request) (*http.Response, error) {
	if t.Ceiling != nil {
		if err := t.Ceiling.Wait(req.Context()); err != nil {
			closeBody(req)
			if ctx := req.Context(); ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			return nil, &LimitError{Err: context.DeadlineExceeded}
		}
	}
	return t.base().RoundTrip(req)
}

// takeOver has the Transports below this one hand their requests on: if two held and
// resent the same request, each would wait for what the other does, and their resends
// would multiply. A shadow does neither, and so leaves it to them.
func (t *Transport) takeOver() {
	below := t.base()
	for range mostLayers {
		if layer, ok := below.(interface{ self() *Transport }); ok {
			other := layer.self()
			if t.loops = other == t; t.loops || other == nil {
				return
			}
			if !t.Shadow {
				other.inner.Store(true)
			}
		}
		wrapper, ok := below.(interface{ Unwrap() http.RoundTripper })
		if !ok {
			return
		}
		if below = wrapper.Unwrap(); below == nil {
			return
		}
	}
}
