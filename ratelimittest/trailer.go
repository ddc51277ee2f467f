package ratelimittest

import (
	"net/http"
	"strings"
)

// A handler declares trailer fields in the header's Trailer, or by names that begin with http.TrailerPrefix.

// declaredTrailer returns the names in the header's Trailer field, except names that a trailer must not have.
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

// promised removes Trailer from header. It returns what a client sees before the end of the body: the names
// of the trailer fields, without values.
func (w *responseWriter) promised(header http.Header) http.Header {
	header.Del("Trailer")
	if len(w.trailerNames) == 0 {
		return nil
	}
	trailer := make(http.Header)
	for _, name := range w.trailerNames {
		trailer[name] = nil
	}
	return trailer
}

// trailer returns the trailer fields that the handler has set.
func (w *responseWriter) trailer() http.Header {
	trailer := make(http.Header)
	for name, values := range w.header {
		if name, ok := strings.CutPrefix(name, http.TrailerPrefix); ok {
			trailer[http.CanonicalHeaderKey(name)] = values
		}
	}
	for _, name := range w.trailerNames {
		if values := w.header[name]; len(values) > 0 {
			trailer[name] = values
		}
	}
	return trailer
}
