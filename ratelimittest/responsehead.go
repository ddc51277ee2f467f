package ratelimittest

import (
	"net/http"
	"strconv"
)

// first returns the first part of the response: the header and the buffered bytes of the body. If done, they
// are the whole body, and its length becomes the Content-Length.
func (w *responseWriter) first(done bool) part {
	w.sent = true
	header, allowed := w.written, bodyAllowed(w.status)
	trails := len(w.trailerNames) > 0 || hasTrailerPrefix(header)
	if done && !trails && allowed && w.length < 0 && (!w.isHEAD || len(w.buffered) > 0) {
		w.length = int64(len(w.buffered))
		header.Set("Content-Length", strconv.Itoa(len(w.buffered)))
	}
	w.chunked = allowed && !w.isHEAD && w.length < 0
	arrived, err := w.complete(header)
	if err != nil {
		return part{end: err}
	}
	resp := newResponse(w.status, arrived) //nolint:bodyclose // the client closes it
	p := part{head: resp, data: w.buffered}
	switch {
	case w.isHEAD:
		resp.ContentLength, p.data = w.length, nil
	case w.chunked:
		resp.ContentLength, resp.TransferEncoding = -1, []string{"chunked"}
		resp.Trailer = w.promised(arrived)
	case allowed:
		resp.ContentLength = w.length
	}
	w.buffered = nil
	return p
}

// complete adds the header fields that net/http adds, and removes those that net/http does not send.
func (w *responseWriter) complete(header http.Header) (http.Header, error) {
	_, typed := header["Content-Type"]
	if !typed && len(w.buffered) > 0 && header.Get("Content-Encoding") == "" {
		header.Set("Content-Type", http.DetectContentType(w.buffered))
	}
	if _, dated := header["Date"]; !dated {
		header.Set("Date", clock().UTC().Format(http.TimeFormat))
	}
	header.Del("Transfer-Encoding") // the Response has it in a field of its own
	if !bodyAllowed(w.status) {
		header.Del("Content-Length")
		w.length = -1
	}
	if w.status == http.StatusNotModified {
		header.Del("Content-Type")
	}
	return asSent(header)
}

func newResponse(status int, header http.Header) *http.Response {
	text := http.StatusText(status)
	if text == "" {
		text = "status code " + strconv.Itoa(status)
	}
	return &http.Response{
		Status: strconv.Itoa(status) + " " + text, StatusCode: status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: http.NoBody,
	}
}

// bodyAllowed reports whether a response with that status may have a body (RFC 9110 §6.4.1).
func bodyAllowed(status int) bool {
	return status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
}
