package ratelimittest

import (
	"net/http"
	"time"
)

// InTrailer returns a Dialect that writes the fields of d into the trailer section of the response, which
// follows the body (RFC 9110 §6.5), as draft-polli-ratelimit-headers-05 §3 allows. The fields are not
// announced in the field Trailer. They report the same decision as in a header, however long the body takes.
// In HTTP/1.1 the body has to be chunked for this, so Next must not set Content-Length. A client sees the
// fields only when it has read the body to its end.
//
// As Handler.Dialect this moves the limits, and leaves Retry-After in the header.
func InTrailer(d Dialect) Dialect {
	return func(h http.Header, now time.Time, decision Decision) {
		fields := make(http.Header)
		d(fields, now, decision)
		for name, values := range fields {
			h[http.TrailerPrefix+name] = values
		}
	}
}
