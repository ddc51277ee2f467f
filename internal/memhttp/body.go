package memhttp

import (
	"context"
	"maps"
	"net/http"
	"sync/atomic"
)

// A body is the Body of a response, for the client.
type body struct {
	exchange *exchange
	ctx      context.Context // the client's context
	resp     *http.Response  // its Trailer is set at the end of the body
	arrived  part            // the data that arrived and is not read yet
	err      error           // the result of all further reads; nil: more may arrive
	closed   atomic.Bool
}

// Read waits until data arrives, the request's context is done or Close is called.
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
	return 0, b.err
}

// fill waits for data. It returns the reason if no more data will arrive.
func (b *body) fill() error {
	if err := context.Cause(b.ctx); err != nil {
		b.arrived = part{}
		return err
	}
	for len(b.arrived.data) == 0 {
		if b.arrived.end != nil {
			b.setTrailer()
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

// setTrailer fills in Response.Trailer, which a client may look at after it has read the body.
func (b *body) setTrailer() {
	if len(b.arrived.trailer) == 0 {
		return
	}
	if b.resp.Trailer == nil {
		b.resp.Trailer = make(http.Header)
	}
	maps.Copy(b.resp.Trailer, b.arrived.trailer)
}

// Close ends the context of a handler that has not returned yet.
func (b *body) Close() error {
	if !b.closed.Swap(true) {
		b.exchange.hangUp()
	}
	return nil
}
