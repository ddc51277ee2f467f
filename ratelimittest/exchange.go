package ratelimittest

import (
	"context"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"runtime/debug"
)

// An exchange is one request with its response, from when the request arrives
// until both the handler and the client are done with it. The handler runs on a
// goroutine of its own.
type exchange struct {
	wire

	upload upload
	cancel context.CancelFunc // of the handler's context
	unhook func() bool        // undoes that the end of the client's context hangs up
}

// hangUp is the end of the client's connection: the handler's context is done, and
// it can neither read nor write.
func (x *exchange) hangUp() {
	x.release()
	_ = x.leave()
}

// abandon hangs up and raises a panic of the handler that the client has not heard of.
func (x *exchange) abandon() {
	x.release()
	_ = raise(x.leave())
}

// fail breaks the connection off for the client.
func (x *exchange) fail(err error) {
	_ = x.send(part{end: err}) // a client that has left does not mind
}

// release ends what is the handler's.
func (x *exchange) release() {
	x.cancel()
	x.upload.end()
}

// response waits for the response, and reports the informational ones before it.
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

// open gives the response its body. Without one the client takes no more.
func (x *exchange) open(req *http.Request, first part) {
	resp := first.head
	if resp.ContentLength != 0 && req.Method != http.MethodHead {
		resp.Body = &body{exchange: x, ctx: req.Context(), resp: resp, arrived: first}
		return
	}
	_ = raise(x.leave())
}

// inform reports an informational response.
func inform(ctx context.Context, resp *http.Response) error {
	trace := httptrace.ContextClientTrace(ctx)
	if trace == nil || trace.Got1xxResponse == nil {
		return nil
	}
	return trace.Got1xxResponse(resp.StatusCode, textproto.MIMEHeader(resp.Header))
}

// serve runs the handler and then ends whatever it has left open.
func (x *exchange) serve(h http.Handler, r *http.Request) {
	w := &responseWriter{wire: &x.wire, isHEAD: r.Method == http.MethodHead, header: make(http.Header), length: -1}
	returned := false
	defer func() {
		v := recover()
		x.unhook()
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

// A handlerPanic is the panic of a handler on its way to the client's goroutine.
type handlerPanic struct {
	value any
	stack []byte // of the handler's goroutine
}

func (*handlerPanic) Error() string { return "ratelimittest: the handler panicked" }

// raise panics with the value of p. The panic below it is there for the crash that
// follows if nobody recovers: it prints the handler's stack, which is gone by then.
func (p *handlerPanic) raise() {
	defer panic(p.value)
	panic("ratelimittest: the handler panicked on its goroutine:\n" + string(p.stack))
}

// raise panics if err is the panic of a handler, and else returns it.
func raise(err error) error {
	if p, ok := err.(*handlerPanic); ok { //nolint:errorlint // it is never wrapped
		p.raise()
	}
	return err
}
