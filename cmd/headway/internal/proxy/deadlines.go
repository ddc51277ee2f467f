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

// deadlines are those of the connection of a request, for each step.
type deadlines struct{ *http.ResponseController }

// newDeadlines forgets the deadlines of the connection's last request. Deadlines are not supported outside of net/http's server.
func newDeadlines(w http.ResponseWriter) deadlines {
	d := deadlines{http.NewResponseController(w)}
	_ = d.SetWriteDeadline(time.Time{})
	return d
}

// end sets deadlines for what net/http does behind a handler: it writes the end of the response, and skips the rest of the
// content.
func (d deadlines) end() {
	_ = d.SetReadDeadline(time.Now().Add(stall))
	_ = d.SetWriteDeadline(time.Now().Add(stall))
}

// A deadlineReader reads the content of a request.
type deadlineReader struct {
	io.Reader

	deadlines deadlines
	stopped   atomic.Bool
}

// stop ends a Read that waits, and all later ones.
func (r *deadlineReader) stop() {
	r.stopped.Store(true)
	_ = r.deadlines.SetReadDeadline(time.Unix(1, 0))
}

// Read leaves its deadline in place. net/http clears it when the content ends, and then sets its own: a deadline that is set
// after Read could undo those.
func (r *deadlineReader) Read(p []byte) (int, error) {
	_ = r.deadlines.SetReadDeadline(time.Now().Add(stall))
	if r.stopped.Load() { // perhaps since a moment ago
		r.stop()
	}
	return r.Reader.Read(p)
}

// A deadlineWriter writes a response.
type deadlineWriter struct {
	http.ResponseWriter

	deadlines deadlines
	isStream  bool // what is written goes to the client at once
	isLast    bool // the connection ends with the response
}

// WriteHeader is also for interim responses, which are written at once. net/http would guess a missing Content-Type.
func (w *deadlineWriter) WriteHeader(status int) {
	if _, isSet := w.Header()["Content-Type"]; !isSet && status >= http.StatusOK {
		w.Header()["Content-Type"] = nil
	}
	if w.isLast && status >= http.StatusOK { // interim responses clear the header
		w.Header().Set("Connection", "close")
	}
	_ = w.deadlines.SetWriteDeadline(time.Now().Add(stall))
	w.ResponseWriter.WriteHeader(status)
}

func (w *deadlineWriter) Write(p []byte) (int, error) {
	_ = w.deadlines.SetWriteDeadline(time.Now().Add(stall))
	n, err := w.ResponseWriter.Write(p)
	if err == nil && w.isStream { // httputil flushes only responses without a length
		err = w.deadlines.Flush()
	}
	return n, err
}

// FlushError is for http.ResponseController, as is Unwrap.
func (w *deadlineWriter) FlushError() error {
	_ = w.deadlines.SetWriteDeadline(time.Now().Add(stall))
	return w.deadlines.Flush()
}

// Unwrap returns the ResponseWriter of net/http's server.
func (w *deadlineWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
