package memhttp

import (
	"bufio"
	"net"
	"net/http"
)

// A StatusWriter remembers the final status of a response, which is 101 for a hijacked connection.
type StatusWriter struct {
	http.ResponseWriter
	status int // 0: none yet
}

// WriteHeader remembers the first final status. Informational statuses (1xx) are not final, except 101.
func (w *StatusWriter) WriteHeader(status int) {
	if w.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements io.Writer.
func (w *StatusWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(p)
}

// Flush implements http.Flusher.
func (w *StatusWriter) Flush() {
	_ = http.NewResponseController(w.ResponseWriter).Flush() // http.Flusher has no error to return
}

// Hijack implements http.Hijacker.
func (w *StatusWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buf, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err == nil && w.status == 0 {
		w.status = http.StatusSwitchingProtocols
	}
	return conn, buf, err
}

// Unwrap makes http.ResponseController work.
func (w *StatusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Status returns the status of the response, once the handler has returned.
func (w *StatusWriter) Status() int {
	if w.status == 0 {
		return http.StatusOK
	}
	return w.status
}
