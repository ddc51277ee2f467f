package ratelimittest

import (
	"bufio"
	"net"
	"net/http"
)

// A statusWriter remembers the status of the final response, 101 for a
// connection that was taken over. Flush, Hijack and Unwrap hand through what the
// wrapped http.ResponseWriter can do.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader notes the first final status. 1xx come before it, but for 101,
// which is the last that HTTP says on a connection.
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

// final returns the status after the handler has returned.
func (w *statusWriter) final() int {
	if w.status == 0 {
		return http.StatusOK
	}
	return w.status
}
