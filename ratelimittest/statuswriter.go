package ratelimittest

import (
	"bufio"
	"net"
	"net/http"
)

// A statusWriter remembers the final status of a response, which is 101 for a hijacked connection. Flush,
// Hijack and Unwrap forward to the wrapped http.ResponseWriter.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader remembers the first final status. Informational statuses (1xx) are not final, except 101.
func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(p)
}

func (w *statusWriter) Flush() {
	_ = http.NewResponseController(w.ResponseWriter).Flush() // http.Flusher has no error to return
}

func (w *statusWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buf, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err == nil && w.status == 0 {
		w.status = http.StatusSwitchingProtocols
	}
	return conn, buf, err
}

func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// final returns the status of the response, once the handler has returned.
func (w *statusWriter) final() int {
	if w.status == 0 {
		return http.StatusOK
	}
	return w.status
}
