package memhttp

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
)

// errAborted is what a client gets of a connection that is closed without a response.
var errAborted = fmt.Errorf("ratelimittest: the server closed the connection without a response: %w", io.EOF)

// An exchange is one request and its response. It lasts until both the handler and the client are done with
// it. The handler runs on its own goroutine.
type exchange struct {
	wire

	upload       upload
	cancel       context.CancelFunc // ends the handler's context
	cancelHangUp func() bool        // cancels the call of hangUp at the end of the client's context
}

// hangUp closes the connection from the client's side. The handler's context ends, and its reads and writes
// fail.
func (x *exchange) hangUp() {
	x.leave() // first, as the end of its context may lead the handler to write
	x.release()
}

// release ends the handler's context and its access to the request's body.
func (x *exchange) release() {
	x.cancel()
	_ = x.upload.Close() // it returns none
}

// response waits for the header.
func (x *exchange) response(req *http.Request) (*http.Response, error) {
	p, err := x.receive(req.Context())
	switch {
	case err != nil:
		return nil, err
	case p.head == nil:
		return nil, p.end
	}
	p.head.Request = req
	if p.head.ContentLength != 0 && req.Method != http.MethodHead {
		p.head.Body = &body{exchange: x, ctx: req.Context(), resp: p.head, arrived: p}
	} else {
		x.leave()
	}
	return p.head, nil
}

// serve runs the handler, ends the response and closes the request's body.
func (x *exchange) serve(h http.Handler, r *http.Request) {
	w := &responseWriter{wire: &x.wire, isHEAD: r.Method == http.MethodHead, header: make(http.Header), length: -1}
	returned := false
	defer func() {
		v := recover()                             // nil after runtime.Goexit
		if v != nil && v != http.ErrAbortHandler { //nolint:errorlint // net/http compares it like this
			panic(v)
		}
		x.cancelHangUp()
		x.release()
		if returned {
			w.finish()
		} else {
			w.abort()
		}
	}()
	h.ServeHTTP(w, r)
	returned = true
}

// An upload is the request's Body, for the handler. It ends when the handler returns or the client leaves.
// Its end closes the client's Body, which also interrupts a Read in progress.
type upload struct {
	body  io.ReadCloser // the client's Body; nil: none
	ended atomic.Bool
	once  sync.Once
}

func (u *upload) Read(p []byte) (int, error) {
	if u.ended.Load() {
		return 0, http.ErrBodyReadAfterClose
	}
	return u.body.Read(p)
}

// Close ends the upload. A handler that closes its request's Body cannot read any more.
func (u *upload) Close() error {
	u.ended.Store(true)
	if u.body != nil {
		u.once.Do(func() { _ = u.body.Close() }) // nobody would handle the error
	}
	return nil
}
