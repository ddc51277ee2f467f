package sdktest

import (
	"io"
	"net/http"
	"sync/atomic"
)

// JSON returns a handler that responds to every request with status and body, as application/json. The body
// is sent unchanged. fields are alternating names and values of further header fields, such as "Retry-After",
// "1". JSON panics if a value is missing.
//
// The handler suits as the API (ratelimittest.Handler.Next), as a vendor's refusal
// (ratelimittest.Handler.Refuse), and for First. It is safe for concurrent use.
func JSON(status int, body string, fields ...string) http.Handler {
	if len(fields)%2 != 0 {
		panic("sdktest: a field without a value: " + fields[len(fields)-1])
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i < len(fields); i += 2 {
			w.Header().Set(fields[i], fields[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) // fails if the client is gone
	})
}

// First returns a handler that passes the first n requests to first, and the others to then. It is safe for
// concurrent use if both are.
func First(n int64, first, then http.Handler) http.Handler {
	var served atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if served.Add(1) <= n {
			first.ServeHTTP(w, r)
			return
		}
		then.ServeHTTP(w, r)
	})
}
