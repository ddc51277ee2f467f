package ratelimittest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

// maxBuffered is the number of bytes of a body that net/http buffers before it sends the header. If the whole
// body is not longer, net/http adds a Content-Length.
const maxBuffered = 2048

// A responseWriter is the http.ResponseWriter for a handler. It follows net/http's rules about what is sent,
// and when.
type responseWriter struct {
	wire         *wire
	isHEAD       bool
	header       http.Header // as the handler sees and changes it
	status       int         // 0: WriteHeader has not been called
	written      http.Header // a copy of header, made by WriteHeader
	length       int64       // Content-Length; negative: none
	offered      int64       // bytes of the body passed to Write
	accepted     int64       // bytes of the body accepted by Write
	buffered     []byte      // the part of the body that waits for the header to be sent
	sent         bool        // the header has been sent
	trailerNames []string    // names in the Trailer field
	chunked      bool        // sent without a length, so a trailer may follow
}

// Header returns the header. Once that has been sent, changes are changes of the trailer.
func (w *responseWriter) Header() http.Header { return w.header }

// WriteHeader sends an informational response at once. The first other status is final.
func (w *responseWriter) WriteHeader(status int) {
	switch {
	case w.status != 0:
	case status < 100 || status > 999:
		panic(fmt.Sprintf("ratelimittest: invalid WriteHeader code %d", status)) // net/http panics, too
	case status < 200 && status != http.StatusSwitchingProtocols:
		header := w.header.Clone()
		header.Del("Content-Length")
		header.Del("Transfer-Encoding")
		p := part{}
		if header, p.end = asSent(header); p.end == nil {
			p.head = newResponse(status, header) //nolint:bodyclose // it has none
		}
		_ = w.wire.send(p) // Write reports a client that has left
	default:
		w.settle(status, w.header.Clone())
	}
}

// settle fixes the status, and the header that will be sent.
func (w *responseWriter) settle(status int, header http.Header) {
	w.status, w.written, w.trailerNames = status, header, declaredTrailer(header)
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

// Write returns http.ErrBodyNotAllowed for a status without a body, http.ErrContentLength for bytes beyond
// the Content-Length, and io.ErrClosedPipe if the client has left.
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
	w.offered += int64(len(p))
	if w.length >= 0 && w.offered > w.length {
		return 0, http.ErrContentLength
	}
	if err := w.pass(p); err != nil {
		return 0, err
	}
	w.accepted += int64(len(p))
	return len(p), nil
}

func (w *responseWriter) pass(p []byte) error {
	switch {
	case !w.sent:
		w.buffered = append(w.buffered, p...)
		if len(w.buffered) > maxBuffered {
			return w.FlushError()
		}
	case !w.isHEAD:
		return w.wire.send(part{data: bytes.Clone(p)})
	}
	return nil
}

// Flush implements http.Flusher.
func (w *responseWriter) Flush() { _ = w.FlushError() }

// FlushError sends the header and the buffered bytes of the body. It returns io.ErrClosedPipe if the client
// has left.
func (w *responseWriter) FlushError() error {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if w.sent {
		return nil
	}
	return w.wire.send(w.first(false))
}

// EnableFullDuplex does nothing: handlers may always read and write at the same time.
func (w *responseWriter) EnableFullDuplex() error { return nil }

// finish ends the response after the handler has returned.
func (w *responseWriter) finish() {
	if w.status == 0 {
		w.settle(http.StatusOK, w.header) // no copy: the handler has returned
	}
	trailer := w.trailer()
	var last part
	if !w.sent {
		last = w.first(true)
	}
	switch {
	case last.end != nil: // the header could not be sent
	case w.accepted < w.length:
		last.end = io.ErrUnexpectedEOF
	case w.chunked:
		if last.trailer, last.end = asSent(trailer); last.end == nil {
			last.end = io.EOF
		}
	default:
		last.end = io.EOF
	}
	_ = w.wire.send(last) // no error to handle: the client may have left
}

// abort breaks the connection.
func (w *responseWriter) abort() {
	end := ErrAborted
	switch {
	case w.sent && w.accepted == w.length:
		end = io.EOF // the client has the whole announced body
	case w.sent:
		end = io.ErrUnexpectedEOF
	}
	_ = w.wire.send(part{end: end}) // no error to handle: the client may have left
}
