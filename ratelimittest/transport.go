package ratelimittest

import (
	"net/http"
	"time"

	"github.com/headway-go/headway/internal/memhttp"
)

// A Transport is an http.RoundTripper that passes requests to a Handler in memory. It uses no socket, so it works in a
// testing/synctest bubble. The client sees what it would see of a server over HTTP/1.1, and at the same time.
//
// The handler runs on its own goroutine. RoundTrip returns when the header arrives. As in net/http, a handler
// sends its header when it returns, calls Flush, or has written more than 2048 bytes. So a short response has a
// Content-Length. After the header, every Write is sent at once, and every Read of the body waits until data
// arrives. There is no bound on the data in transit, so a handler never waits for its client to read. Trailers
// are in Response.Trailer once the body has been read.
//
// As http.RoundTripper requires, the request is not modified, and its Body is always closed: at the latest
// when the handler returns. When the request's context is done or the response's Body is closed, the handler's
// context ends, its reads and writes fail, and RoundTrip and Read fail with the cause of the context's end.
//
// A handler breaks the connection by a panic with http.ErrAbortHandler, or by runtime.Goexit, as in
// testing.T.FailNow. RoundTrip then fails with an error that is io.EOF. If the header has been sent, Read fails
// with io.ErrUnexpectedEOF instead, unless the body is as long as Content-Length says. Any other panic is a bug that
// a test should notice: it ends the program.
//
// What a Transport does not have: informational responses (1xx), trailers of requests, Hijack, and the deadlines of
// http.ResponseController. It is safe for concurrent use. Its fields must not be changed once it is in use.
type Transport struct {
	// Handler serves the requests. nil: an empty 200 OK for each.
	Handler http.Handler
	// Latency is the time that a request spends on the network. The first half passes before the handler
	// sees the request. The second half passes between sending and receiving each part of the response. 0
	// or negative: none.
	Latency time.Duration
	// RemoteAddr is the client's address as the handler sees it. "": 192.0.2.1:1234, as in net/http/httptest.
	RemoteAddr string
}

// RoundTrip implements http.RoundTripper. The response has a Date by time.Now, unless the handler sets one.
// The error is the cause of the context's end, is io.EOF, or reports a request without a host.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	h := t.Handler
	if h == nil {
		h = http.HandlerFunc(ok)
	}
	return memhttp.RoundTrip(req, h, t.Latency, t.RemoteAddr)
}
