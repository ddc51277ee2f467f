package ratelimittest

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// ErrAborted is the error of a request whose handler panicked with
// http.ErrAbortHandler, or ended its goroutine, before it sent a header: over real
// HTTP the connection would be closed without a response.
var ErrAborted = errors.New("ratelimittest: the server closed the connection without a response")

// A Transport is an http.RoundTripper that hands requests to a Handler in
// memory: no socket, and nothing that a testing/synctest bubble cannot see. What
// the client sees, and when, is what it would see of a server over HTTP/1.1.
//
// The handler runs on a goroutine of its own, which is the only one and ends
// when the handler returns. RoundTrip returns when the header arrives. As in
// net/http a handler sends its header when it returns, calls Flush, or has
// written more than 2048 bytes: so a short response has a Content-Length, and a
// handler that wants its client to see a response that has only begun, such as a
// long poll or a stream of events, must Flush. After the header every Write is
// sent at once, and every Read of the body waits until something arrives. There
// is no limit to what is on its way: a handler never waits for its client to read.
//
// Header fields go as they do over HTTP. A request with a name or a value that is
// not allowed is not sent, nor is one with a method or a URL that an http.Transport
// refuses, and the others arrive without the fields that it adds, such as User-Agent, and
// those that it does not take from Request.Header, such as Host. In a response such names are left out and line breaks
// become spaces; any other control character makes it unreadable.
//
// Informational responses are reported to httptrace.ClientTrace.Got1xxResponse,
// trailers are in Response.Trailer once the body has been read. A request's trailer
// does not arrive. Where its Body is not as long as its ContentLength the request fails,
// if the handler reads the Body to its end: a Transport does not do that itself. A body announced with Expect: 100-continue is there as soon as
// the handler reads it, and no 100 Continue is reported. Hijack and the deadlines of
// http.ResponseController fail with http.ErrNotSupported.
//
// It keeps to the contract of http.RoundTripper: the request is not modified and
// its Body is always closed, at the latest when the handler returns. When the
// request's context is done or the response's Body is closed, the handler's
// context ends and its writes fail, without delay, and its reads as soon as the
// request's Body, which is closed under them, lets go of a Read: a pipe does, an
// io.NopCloser around something that blocks does not. RoundTrip and the Body fail
// with the cause of the context's end, whether or not the handler heeds its own.
//
// A handler that panics with http.ErrAbortHandler or ends in runtime.Goexit, as it
// does in testing.T.FailNow, breaks the connection: RoundTrip fails with
// ErrAborted, or the Body with io.ErrUnexpectedEOF if the header has been sent and
// the body is not all that Content-Length says. Any other panic is a bug that a test
// should not miss, and goes through to the client's goroutine: RoundTrip panics with
// the same value, or the next Read or Close of the Body does. If the client has gone
// by then, or expects no body, it ends the program as a panic on any other goroutine
// does.
//
// A Transport is safe for concurrent use; its fields must not be changed once
// it is in use.
type Transport struct {
	// Handler serves the requests. nil: an empty 200 OK for each.
	Handler http.Handler
	// Latency is the time that a request spends on the network: half of it
	// before the handler sees the request, and half of it between sending and
	// receiving each part of the response. 0 or negative: none.
	Latency time.Duration
	// RemoteAddr is the client's address as the handler sees it.
	// "": 192.0.2.1:1234, as in net/http/httptest.
	RemoteAddr string
}

// RoundTrip implements http.RoundTripper. The response has a Date by time.Now,
// unless the handler sets one. The error is the cause of the context's end,
// ErrAborted, what Got1xxResponse returned, or tells of a method, URL, header or Body
// that cannot be sent, or a header that cannot be read.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	there := max(t.Latency, 0) / 2
	r, err := t.received(req)
	if err == nil {
		err = sleep(req.Context(), there)
	}
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close() // the caller's body: there is no one to tell
		}
		return nil, err
	}
	x := t.begin(req, r, t.Latency-there)
	resp, err := x.response(req)
	if err != nil {
		x.abandon()
		return nil, err
	}
	return resp, nil
}

// begin lets the handler serve req, which it gets as received, on a new goroutine.
func (t *Transport) begin(req, received *http.Request, back time.Duration) *exchange {
	ctx, cancel := context.WithCancel(context.Background()) // a server sees nothing of its clients' context but its end
	x := &exchange{wire: wire{delay: back, news: make(chan struct{}, 1)}, cancel: cancel}
	x.upload.body, x.upload.length, x.upload.fail = req.Body, received.ContentLength, x.fail
	x.unhook = context.AfterFunc(req.Context(), x.hangUp)
	r := received.WithContext(ctx)
	if r.Body != http.NoBody {
		r.Body = &x.upload
	}
	go x.serve(t.handler(), r)
	return x
}

func (t *Transport) handler() http.Handler {
	if t.Handler == nil {
		return http.HandlerFunc(ok)
	}
	return t.Handler
}
