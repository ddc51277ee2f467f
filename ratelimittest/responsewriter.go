package ratelimittest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

// maxHeld is how many bytes of a body net/http holds back, and the header with
// them, in the hope that they are all.
const maxHeld = 2048

// A responseWriter is the http.ResponseWriter of a handler. It keeps to net/http's
// rules for what is sent, and for when the header is.
type responseWriter struct {
	wire    *wire
	isHEAD  bool
	header  http.Header // the handler's
	status  int         // 0: not written yet
	written http.Header // the header as it was when the status was written
	length  int64       // of the body as declared; negative: not
	asked   int64       // bytes of the body that the handler wanted to write
	passed  int64       // bytes of the body that it was allowed to
	held    []byte      // those of them that wait for the header to be sent
	sent    bool        // the header
	trails  []string    // the trailer's fields that were declared
	chunked bool        // the body's length is not told, and a trailer may follow
}

// Header returns the header that is to be sent, or when it is, the trailer.
func (w *responseWriter) Header() http.Header { return w.header }

// WriteHeader sends an informational response at once. Of the others it takes the
// first.
func (w *responseWriter) WriteHeader(status int) {
	switch {
	case w.status != 0:
	case status < 100 || status > 999:
		panic(fmt.Sprintf("ratelimittest: invalid WriteHeader code %d", status)) // a panic in net/http too
	case status < 200 && status != http.StatusSwitchingProtocols:
		header := w.header.Clone()
		header.Del("Content-Length")
		header.Del("Transfer-Encoding")
		p := part{}
		if header, p.end = carried(header); p.end == nil {
			p.head = newResponse(status, header) //nolint:bodyclose // it has none
		}
		_ = w.wire.send(p) // a client that has left is told of by Write
	default:
		w.settle(status, w.header.Clone())
	}
}

// settle decides on the header that will be sent.
func (w *responseWriter) settle(status int, header http.Header) {
	w.status, w.written, w.trails = status, header, declaredTrailer(header)
	declared := header.Get("Content-Length")
	if declared == "" {
		return
	}
	if n, err := strconv.ParseInt(declared, 10, 64); err == nil && n >= 0 {
		w.length = n
	} else {
		header.Del("Content-Length")
	}
}

// Write returns http.ErrBodyNotAllowed or http.ErrContentLength for what must not
// be sent, and io.ErrClosedPipe when the client has gone away.
func (w *responseWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if len(p) == 0 {
		return 0, nil
	}
	if !bodyAllowed(w.status) {
		return 0, http.ErrBodyNotAllowed
	}
	w.asked += int64(len(p))
	if w.length >= 0 && w.asked > w.length {
		return 0, http.ErrContentLength
	}
	if err := w.pass(p); err != nil {
		return 0, err
	}
	w.passed += int64(len(p))
	return len(p), nil
}

func (w *responseWriter) pass(p []byte) error {
	switch {
	case !w.sent:
		w.held = append(w.held, p...)
		if len(w.held) > maxHeld {
			return w.FlushError()
		}
	case !w.isHEAD:
		return w.wire.send(part{data: bytes.Clone(p)})
	}
	return nil
}

// Flush is FlushError for those who look for an http.Flusher.
func (w *responseWriter) Flush() { _ = w.FlushError() }

// FlushError sends the header and what is held back of the body. It returns
// io.ErrClosedPipe when the client has gone away.
func (w *responseWriter) FlushError() error {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if w.sent {
		return nil
	}
	return w.wire.send(w.first(false))
}

// EnableFullDuplex does nothing: handlers may always read and write at once.
func (w *responseWriter) EnableFullDuplex() error { return nil }

// finish sends what is left after the handler has returned.
func (w *responseWriter) finish() {
	if w.status == 0 {
		w.settle(http.StatusOK, w.header) // no copy: the handler has had its say
	}
	trailer := w.trailer()
	var last part
	if !w.sent {
		last = w.first(true)
	}
	switch {
	case last.end != nil: // there is no header
	case w.passed < w.length:
		last.end = io.ErrUnexpectedEOF
	case w.chunked:
		if last.trailer, last.end = carried(trailer); last.end == nil {
			last.end = io.EOF
		}
	default:
		last.end = io.EOF
	}
	_ = w.wire.send(last) // a client that has left does not mind
}

// abort breaks the connection off.
func (w *responseWriter) abort() {
	end := ErrAborted
	switch {
	case w.sent && w.passed == w.length:
		end = io.EOF // the client has all that was announced
	case w.sent:
		end = io.ErrUnexpectedEOF
	}
	_ = w.wire.send(part{end: end}) // a client that has left does not mind
}
