package memhttp

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// maxBuffered is the number of bytes of a body that net/http buffers before it sends the header. If the whole
// body is not longer, net/http adds a Content-Length.
const maxBuffered = 2048

// A responseWriter is the http.ResponseWriter for a handler. It follows net/http's rules about what is sent,
// and when.
type responseWriter struct {
	wire     *wire
	isHEAD   bool
	header   http.Header // as the handler sees and changes it
	status   int         // 0: WriteHeader has not been called
	written  http.Header // a copy of header, made by WriteHeader
	length   int64       // Content-Length; negative: none
	accepted int64       // bytes of the body
	buffered []byte      // the part of the body that waits for the header to be sent
	sent     bool        // the header has been sent
	trailers []string    // names in the field Trailer
	trails   bool        // the header has announced a trailer, or has fields of one
}

// Header returns the header. Once that has been sent, changes are changes of the trailer.
func (w *responseWriter) Header() http.Header { return w.header }

// WriteHeader fixes the status, and the header that will be sent. Informational responses are not sent.
func (w *responseWriter) WriteHeader(status int) {
	switch {
	case status < 100 || status > 999:
		panic(fmt.Sprintf("ratelimittest: invalid WriteHeader code %d", status)) // net/http panics, too
	case w.status != 0 || status < 200 && status != http.StatusSwitchingProtocols:
		return
	}
	w.status, w.written = status, w.header.Clone()
	if n, err := strconv.ParseInt(w.written.Get("Content-Length"), 10, 64); err == nil && n >= 0 {
		w.length = n
	} else {
		w.written.Del("Content-Length")
	}
	for _, names := range w.written["Trailer"] {
		for name := range strings.SplitSeq(names, ",") {
			w.trailers = append(w.trailers, http.CanonicalHeaderKey(strings.TrimSpace(name)))
		}
	}
	w.trails = len(w.trailers) > 0
	w.written.Del("Trailer")
	for name := range w.written {
		if strings.HasPrefix(name, http.TrailerPrefix) {
			delete(w.written, name)
			w.trails = true
		}
	}
}

// Write returns http.ErrBodyNotAllowed for a status without a body, http.ErrContentLength for bytes beyond
// the Content-Length, and io.ErrClosedPipe if the client has left.
func (w *responseWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	switch {
	case len(p) == 0:
		return 0, nil
	case !bodyAllowed(w.status):
		return 0, http.ErrBodyNotAllowed
	case w.length >= 0 && w.accepted+int64(len(p)) > w.length:
		return 0, http.ErrContentLength
	}
	w.accepted += int64(len(p))
	switch {
	case !w.sent:
		w.buffered = append(w.buffered, p...)
		if len(w.buffered) > maxBuffered {
			return len(p), w.FlushError()
		}
	case !w.isHEAD:
		return len(p), w.wire.send(part{data: bytes.Clone(p)})
	}
	return len(p), nil
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
	return w.wire.send(w.first())
}

// EnableFullDuplex does nothing: handlers may always read and write at the same time.
func (w *responseWriter) EnableFullDuplex() error { return nil }

// first returns the first part of the response: the header and the buffered bytes of the body.
func (w *responseWriter) first() part {
	w.sent = true
	resp := &http.Response{
		Status: fmt.Sprintf("%d %s", w.status, http.StatusText(w.status)), StatusCode: w.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.complete(), Body: http.NoBody, ContentLength: w.length,
	}
	p := part{head: resp, data: w.buffered}
	switch {
	case !bodyAllowed(w.status):
		resp.ContentLength = 0
	case w.isHEAD:
		p.data = nil
	case w.length < 0:
		resp.TransferEncoding = []string{"chunked"}
		for _, name := range w.trailers {
			if resp.Trailer == nil {
				resp.Trailer = make(http.Header)
			}
			resp.Trailer[name] = nil // its value comes after the body
		}
	}
	w.buffered = nil
	return p
}

// complete adds the header fields that net/http adds, and removes those that net/http does not send.
func (w *responseWriter) complete() http.Header {
	header := w.written
	if _, typed := header["Content-Type"]; !typed && len(w.buffered) > 0 && header.Get("Content-Encoding") == "" {
		header.Set("Content-Type", http.DetectContentType(w.buffered))
	}
	if _, dated := header["Date"]; !dated {
		header.Set("Date", clock().UTC().Format(http.TimeFormat))
	}
	header.Del("Transfer-Encoding") // the Response has it in a field of its own
	if !bodyAllowed(w.status) {
		header.Del("Content-Length")
	}
	return header
}

// finish ends the response after the handler has returned.
func (w *responseWriter) finish() {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	last := part{end: io.EOF}
	if !w.sent {
		if w.length < 0 && !w.trails && bodyAllowed(w.status) && (!w.isHEAD || len(w.buffered) > 0) {
			w.length = int64(len(w.buffered))
			w.written.Set("Content-Length", strconv.FormatInt(w.length, 10))
		}
		last = w.first()
		last.end = io.EOF
	}
	switch {
	case w.accepted < w.length && !w.isHEAD:
		last.end = io.ErrUnexpectedEOF
	case w.length < 0:
		last.trailer = w.trailer()
	}
	_ = w.wire.send(last) // no error to handle: the client may have left
}

// trailer returns the trailer fields that the handler has set.
func (w *responseWriter) trailer() http.Header {
	trailer := make(http.Header)
	for name, values := range w.header {
		if name, ok := strings.CutPrefix(name, http.TrailerPrefix); ok {
			trailer[http.CanonicalHeaderKey(name)] = values
		}
	}
	for _, name := range w.trailers {
		if values := w.header[name]; len(values) > 0 {
			trailer[name] = values
		}
	}
	return trailer
}

// abort breaks the connection.
func (w *responseWriter) abort() {
	end := errAborted
	switch {
	case w.sent && w.accepted == w.length:
		end = io.EOF // the client has the whole announced body
	case w.sent:
		end = io.ErrUnexpectedEOF
	}
	_ = w.wire.send(part{end: end}) // no error to handle: the client may have left
}

// bodyAllowed reports whether a response with that status may have a body (RFC 9110 §6.4.1).
func bodyAllowed(status int) bool {
	return status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
}
