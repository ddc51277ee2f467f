package ratelimittest

import (
	"net/http"
	"strings"
)

// A trailer is declared in the header's Trailer, or by names that begin with
// http.TrailerPrefix.

// declaredTrailer returns the names in the header's Trailer, without those that a
// trailer must not have.
func declaredTrailer(header http.Header) (names []string) {
	for _, value := range header["Trailer"] {
		for name := range strings.SplitSeq(value, ",") {
			switch name = http.CanonicalHeaderKey(strings.TrimSpace(name)); name {
			case "", "Content-Length", "Trailer", "Transfer-Encoding":
			default:
				names = append(names, name)
			}
		}
	}
	return names
}

func hasTrailerPrefix(header http.Header) bool {
	for name := range header {
		if strings.HasPrefix(name, http.TrailerPrefix) {
			return true
		}
	}
	return false
}

// promised takes the declaration out of header and returns the trailer that a
// client sees before there is one: names without values.
func (w *responseWriter) promised(header http.Header) http.Header {
	header.Del("Trailer")
	if len(w.trails) == 0 {
		return nil
	}
	trailer := make(http.Header)
	for _, name := range w.trails {
		trailer[name] = nil
	}
	return trailer
}

// trailer returns what the handler has set of its trailer.
func (w *responseWriter) trailer() http.Header {
	trailer := make(http.Header)
	for name, values := range w.header {
		if name, ok := strings.CutPrefix(name, http.TrailerPrefix); ok {
			trailer[http.CanonicalHeaderKey(name)] = values
		}
	}
	for _, name := range w.trails {
		if values := w.header[name]; len(values) > 0 {
			trailer[name] = values
		}
	}
	return trailer
}
