package proxy

import "net/http"

// A responseWriter writes a response.
type responseWriter struct {
	http.ResponseWriter

	control  *http.ResponseController // of ResponseWriter
	isStream bool                     // what is written goes to the client at once
	isLast   bool                     // the connection ends with the response
	status   int                      // of the response; 0: it has not begun
	adapt    func(http.Header)        // the fields of an interim response; nil: as they are
}

// WriteHeader is also for interim responses. net/http would guess a missing Content-Type.
func (w *responseWriter) WriteHeader(status int) {
	if _, isSet := w.Header()["Content-Type"]; !isSet && status >= http.StatusOK {
		w.Header()["Content-Type"] = nil
	}
	if w.isLast && status >= http.StatusOK { // interim responses clear the header
		w.Header().Set("Connection", "close")
	}
	if status >= http.StatusOK || status == http.StatusSwitchingProtocols {
		w.status = status
	} else if w.adapt != nil {
		w.adapt(w.Header())
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *responseWriter) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	if err == nil && w.isStream { // httputil flushes only responses without a length
		err = w.control.Flush()
	}
	return n, err
}

// Unwrap returns the ResponseWriter of net/http's server, for http.ResponseController.
func (w *responseWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
