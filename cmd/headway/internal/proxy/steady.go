package proxy

import (
	"io"
	"net/http"
	"time"
)

// stall is how long a client may take for the next bytes of its request, or to take the next ones of its response. A
// request and a response as a whole may last as long as they like.
const stall = time.Minute

// steady returns w and the content of r with a deadline for each step.
func steady(w http.ResponseWriter, r *http.Request) (http.ResponseWriter, io.Reader) {
	control := http.NewResponseController(w)
	return &steadyWriter{w, control}, &steadyReader{r.Body, control}
}

// A steadyReader reads the content of a request.
type steadyReader struct {
	io.Reader

	control *http.ResponseController
}

// Read ends without a deadline: behind the content net/http waits for the client to go away, for however long.
func (r *steadyReader) Read(p []byte) (int, error) {
	_ = r.control.SetReadDeadline(time.Now().Add(stall)) // not supported outside of net/http's server
	n, err := r.Reader.Read(p)
	_ = r.control.SetReadDeadline(time.Time{})
	return n, err
}

// A steadyWriter writes a response.
type steadyWriter struct {
	http.ResponseWriter

	control *http.ResponseController
}

// Write ends without a deadline: who writes next may do so a long time later, with another writer.
func (w *steadyWriter) Write(p []byte) (int, error) {
	_ = w.control.SetWriteDeadline(time.Now().Add(stall))
	n, err := w.ResponseWriter.Write(p)
	_ = w.control.SetWriteDeadline(time.Time{})
	return n, err
}

// FlushError is for http.ResponseController, as is Unwrap.
func (w *steadyWriter) FlushError() error {
	_ = w.control.SetWriteDeadline(time.Now().Add(stall))
	err := w.control.Flush()
	_ = w.control.SetWriteDeadline(time.Time{})
	return err
}

// Unwrap returns the ResponseWriter of net/http's server.
func (w *steadyWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
