package ratelimittest

import (
	"context"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"runtime/debug"
)

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
	x.release()
	_ = x.leave()
}

// abandon is hangUp for the client's goroutine: it raises a panic of the handler that the client has not
// seen.
func (x *exchange) abandon() {
	x.release()
	_ = raise(x.leave())
}

// fail breaks the connection from the server's side: the client gets err.
func (x *exchange) fail(err error) {
	_ = x.send(part{end: err}) // the error says that the client has left
}

// release ends the handler's context and its access to the request's body.
func (x *exchange) release() {
	x.cancel()
	x.upload.end()
}

// response waits for the final response. It reports informational ones to the request's
// httptrace.ClientTrace.
func (x *exchange) response(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	for {
		p, err := x.receive(ctx)
		switch {
		case err != nil:
			return nil, err
		case p.head == nil:
			return nil, raise(p.end)
		case p.head.StatusCode < 200 && p.head.StatusCode != http.StatusSwitchingProtocols:
			if err := inform(ctx, p.head); err != nil {
				return nil, err
			}
		default:
			p.head.Request = req
			x.open(req, p)
			return p.head, nil
		}
	}
}

// open sets the response's Body. If there is none, the exchange is over for the client.
func (x *exchange) open(req *http.Request, first part) {
	resp := first.head
	if resp.ContentLength != 0 && req.Method != http.MethodHead {
		resp.Body = &body{exchange: x, ctx: req.Context(), resp: resp, arrived: first}
		return
	}
	_ = raise(x.leave())
}

// inform reports an informational (1xx) response to the client's trace.
func inform(ctx context.Context, resp *http.Response) error {
	trace := httptrace.ContextClientTrace(ctx)
	if trace == nil || trace.Got1xxResponse == nil {
		return nil
	}
	return trace.Got1xxResponse(resp.StatusCode, textproto.MIMEHeader(resp.Header))
}

// serve runs the handler, ends the response and closes the request's body.
func (x *exchange) serve(h http.Handler, r *http.Request) {
	w := &responseWriter{wire: &x.wire, isHEAD: r.Method == http.MethodHead, header: make(http.Header), length: -1}
	returned := false
	defer func() {
		v := recover()
		x.cancelHangUp()
		x.release()
		switch {
		case returned:
			w.finish()
		case v == nil || v == http.ErrAbortHandler: //nolint:errorlint // net/http compares it like this
			w.abort() // v is nil after runtime.Goexit
		case x.send(part{end: &handlerPanic{v, debug.Stack()}}) != nil:
			panic(v)
		}
	}()
	h.ServeHTTP(w, r)
	returned = true
}

// A handlerPanic carries the panic of a handler to the client's goroutine.
type handlerPanic struct {
	value any
	stack []byte // of the handler's goroutine
}

func (*handlerPanic) Error() string { return "ratelimittest: the handler panicked" }

// raise panics with the value of p, on top of a panic with the handler's stack. If nobody recovers, the crash
// prints both. The handler's goroutine is gone by then, so nothing else shows its stack.
func (p *handlerPanic) raise() {
	defer panic(p.value)
	panic("ratelimittest: the handler panicked on its goroutine:\n" + string(p.stack))
}

// raise panics if err is a handlerPanic, and returns err otherwise.
func raise(err error) error {
	if p, ok := err.(*handlerPanic); ok { //nolint:errorlint // it is never wrapped
		p.raise()
	}
	return err
}
