package ratelimittest

import (
	"context"
	"maps"
	"net/http"
	"sync/atomic"
)

// A body is a response's body as the client reads it.
type body struct {
	exchange *exchange
	ctx      context.Context // the client's
	resp     *http.Response  // gets the trailer
	arrived  part            // what is left of what has arrived
	err      error           // why there is no more to read; nil: there may be
	closed   atomic.Bool
}

// Read waits until something arrives, the request's context is done or Close is
// called.
func (b *body) Read(p []byte) (int, error) {
	switch {
	case b.closed.Load():
		return 0, http.ErrBodyReadAfterClose
	case len(p) == 0:
		return 0, nil
	case b.err == nil:
		b.err = b.fill()
	}
	n := copy(p, b.arrived.data)
	b.arrived.data = b.arrived.data[n:]
	if n > 0 {
		return n, nil
	}
	return 0, raise(b.err)
}

// fill waits until there is data, or returns why there is none to come.
func (b *body) fill() error {
	if err := context.Cause(b.ctx); err != nil {
		b.arrived = part{}
		return err
	}
	for len(b.arrived.data) == 0 {
		if b.arrived.end != nil {
			b.trail()
			return b.arrived.end
		}
		next, err := b.exchange.receive(b.ctx)
		if err != nil {
			return err
		}
		b.arrived = next
	}
	return nil
}

// trail hands the trailer over, which a client may look at once it has read the body.
func (b *body) trail() {
	if len(b.arrived.trailer) == 0 {
		return
	}
	if b.resp.Trailer == nil {
		b.resp.Trailer = make(http.Header)
	}
	maps.Copy(b.resp.Trailer, b.arrived.trailer)
}

// Close lets a handler that has not returned know that its client has gone away.
func (b *body) Close() error {
	if !b.closed.Swap(true) {
		b.exchange.abandon()
	}
	return nil
}
