package proxy

import (
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// stall is how long a client may take for the next bytes of its request, or to take the next ones of its response. A
// request and a response as a whole may last as long as they like.
const stall = time.Minute

// A steady connection is the one of a request that is served, with deadlines for each step.
type steady struct{ *http.ResponseController }

// begin forgets the deadlines of the connection's last request. Deadlines are not supported outside of net/http's server.
func begin(w http.ResponseWriter) steady {
	s := steady{http.NewResponseController(w)}
	_ = s.SetWriteDeadline(time.Time{})
	return s
}

// end sets deadlines for what net/http does behind a handler: it writes the end of the response, and skips the rest of the
// content.
func (s steady) end() {
	_ = s.SetReadDeadline(time.Now().Add(stall))
	_ = s.SetWriteDeadline(time.Now().Add(stall))
}

// A steadyReader reads the content of a request.
type steadyReader struct {
	io.Reader

	steady  steady
	stopped atomic.Bool
}

// stop ends a Read that waits, and all later ones.
func (r *steadyReader) stop() {
	r.stopped.Store(true)
	_ = r.steady.SetReadDeadline(time.Unix(1, 0))
}

// Read leaves its deadline in place. net/http clears it when the content ends, and then sets its own: a deadline that is set
// after Read could undo those.
func (r *steadyReader) Read(p []byte) (int, error) {
	_ = r.steady.SetReadDeadline(time.Now().Add(stall))
	if r.stopped.Load() { // perhaps since a moment ago
		r.stop()
	}
	return r.Reader.Read(p)
}

// A steadyWriter writes a response.
type steadyWriter struct {
	http.ResponseWriter

	steady   steady
	isStream bool // what is written goes to the client at once
}

// WriteHeader is also for interim responses, which are written at once. net/http would guess a missing Content-Type.
func (w *steadyWriter) WriteHeader(status int) {
	if _, isSet := w.Header()["Content-Type"]; !isSet && status >= http.StatusOK {
		w.Header()["Content-Type"] = nil
	}
	_ = w.steady.SetWriteDeadline(time.Now().Add(stall))
	w.ResponseWriter.WriteHeader(status)
}

func (w *steadyWriter) Write(p []byte) (int, error) {
	_ = w.steady.SetWriteDeadline(time.Now().Add(stall))
	n, err := w.ResponseWriter.Write(p)
	if err == nil && w.isStream { // httputil flushes only responses without a length
		err = w.steady.Flush()
	}
	return n, err
}

// FlushError is for http.ResponseController, as is Unwrap.
func (w *steadyWriter) FlushError() error {
	_ = w.steady.SetWriteDeadline(time.Now().Add(stall))
	return w.steady.Flush()
}

// Unwrap returns the ResponseWriter of net/http's server.
func (w *steadyWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
