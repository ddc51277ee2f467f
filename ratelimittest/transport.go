package ratelimittest

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// ErrAborted is the error of RoundTrip if the handler broke the connection before it sent a header. A handler
// does that by a panic with http.ErrAbortHandler, or by ending its goroutine. Over real HTTP the connection
// would be closed without a response.
var ErrAborted = errors.New("ratelimittest: the server closed the connection without a response")

// A Transport is an http.RoundTripper that passes requests to a Handler in memory. It uses no socket, so it
// works in a testing/synctest bubble. The client sees what it would see of a server over HTTP/1.1, and at the
// same time.
//
// # Timing
//
// The handler runs on its own goroutine, which ends when the handler returns. RoundTrip returns when the
// header arrives. As in net/http, a handler sends its header when it returns, calls Flush, or has written
// more than 2048 bytes. So a short response has a Content-Length. A handler must Flush if the client should
// see the beginning of a response before its end, as in a long poll or a stream of events. After the header,
// every Write is sent at once. Every Read of the body waits until data arrives. There is no bound on the data
// in transit, so a handler never waits for its client to read.
//
// # Header fields and trailers
//
// A Transport does not send a request that an http.Transport refuses: one with an invalid header field,
// method or URL. The request arrives without the fields that an http.Transport adds, such as User-Agent. It
// also arrives without the fields that an http.Transport does not take from Request.Header, such as Host. In
// a response, fields with invalid names are left out, and line breaks become spaces. Any other control
// character makes the response unreadable.
//
// Informational responses are reported to httptrace.ClientTrace.Got1xxResponse. Trailers are in
// Response.Trailer once the body has been read. A request's trailer does not arrive.
//
// If a request's Body is shorter or longer than its ContentLength, the request fails when the handler reads
// to the end. The Transport itself does not read the Body. A Body announced with Expect: 100-continue can be
// read at once, and no 100 Continue is reported. Hijack and the deadlines of http.ResponseController fail
// with http.ErrNotSupported.
//
// # Cancellation
//
// As http.RoundTripper requires, the request is not modified, and its Body is always closed: at the latest
// when the handler returns. When the request's context is done or the response's Body is closed, these things
// happen:
//
//   - RoundTrip and Read fail with the cause of the context's end, whatever the handler does.
//   - The handler's context ends, and its writes fail at once.
//   - The request's Body is closed, and the handler's reads fail. A Read in progress ends only if closing the
//     Body interrupts it: a pipe does that, an io.NopCloser around a blocking Reader does not.
//
// # Handlers that panic
//
// A handler breaks the connection by a panic with http.ErrAbortHandler, or by runtime.Goexit, as in
// testing.T.FailNow. RoundTrip then fails with ErrAborted. If the header has been sent, Read fails with
// io.ErrUnexpectedEOF instead, unless the body is as long as Content-Length says.
//
// Any other panic is a bug that a test should notice, so it continues on the client's goroutine. RoundTrip,
// or the next Read or Close of the Body, panics with the same value. If the client has left or expects no
// body, the panic ends the program, as a panic on any other goroutine does.
//
// # Concurrency
//
// A Transport is safe for concurrent use. Its fields must not be changed once it is in use.
type Transport struct {
	// Handler serves the requests. nil: an empty 200 OK for each.
	Handler http.Handler
	// Latency is the time that a request spends on the network. The first half passes before the handler
	// sees the request. The second half passes between sending and receiving each part of the response. 0
	// or negative: none.
	Latency time.Duration
	// RemoteAddr is the client's address as the handler sees it. "": 192.0.2.1:1234, as in
	// net/http/httptest.
	RemoteAddr string
}

// RoundTrip implements http.RoundTripper. The response has a Date by time.Now, unless the handler sets one.
// The error is one of these: the cause of the context's end, ErrAborted, or the error of Got1xxResponse.
// Other errors report a method, URL, header or Body that cannot be sent, or a header that cannot be read.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	there := max(t.Latency, 0) / 2
	r, err := t.asReceived(req)
	if err == nil {
		err = sleep(req.Context(), there)
	}
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close() // nobody would handle the error
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

// begin starts the handler on a new goroutine. received is req as the handler gets it.
func (t *Transport) begin(req, received *http.Request, back time.Duration) *exchange {
	ctx, cancel := context.WithCancel(context.Background()) // a server sees only the end of its client's context
	x := &exchange{wire: wire{delay: back, changed: make(chan struct{}, 1)}, cancel: cancel}
	x.upload.body, x.upload.length, x.upload.fail = req.Body, received.ContentLength, x.fail
	x.cancelHangUp = context.AfterFunc(req.Context(), x.hangUp)
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
