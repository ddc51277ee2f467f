package ratelimittest

import (
	"net/http"
	"time"
)

// A Fault makes a server misbehave. It wraps a handler in one that responds itself, or that spoils the
// response. Faults can wrap each other, and a test can write its own. If next is nil, a Fault of this package
// wraps an empty 200 OK. The returned handler is safe for concurrent use if next is.
//
// The position of a Fault decides whether the limiter sees the request. In front of a Handler, a Fault is a
// faulty proxy. Requests to which it responds itself are not counted and not in the Log:
//
//	server := ratelimittest.When(ratelimittest.Every(10), ratelimittest.Drop())(h)
//
// Behind a Handler, as Handler.Next, a Fault strikes requests that were allowed and counted. Requests that it
// drops keep Status 0 in the Log:
//
//	h.Next = ratelimittest.When(ratelimittest.Every(10), ratelimittest.Drop())(next)
//
// Faults work over real HTTP and in a Transport.
type Fault func(next http.Handler) http.Handler

// When returns a Fault that strikes only the requests for which victim returns true. When calls victim once
// for each request, concurrently.
func When(victim func(*http.Request) bool, f Fault) Fault {
	return func(next http.Handler) http.Handler {
		if next == nil {
			next = http.HandlerFunc(ok)
		}
		faulty := f(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if victim(r) {
				faulty.ServeHTTP(w, r)
			} else {
				next.ServeHTTP(w, r)
			}
		})
	}
}

// BareRefusal returns a Fault that responds 429 Too Many Requests without any explanation. The response has
// no body, and no header fields except Date and Content-Length. Fields of a Handler in front of it are
// removed.
func BareRefusal() Fault {
	return answer(func(w http.ResponseWriter) {
		clear(w.Header())
		w.WriteHeader(http.StatusTooManyRequests)
	})
}

// Unavailable returns a Fault that responds 503 Service Unavailable with Retry-After. The field is d in whole
// seconds, rounded up. If d is 0 or negative, there is no Retry-After.
func Unavailable(d time.Duration) Fault {
	return answer(func(w http.ResponseWriter) {
		RetryAfterSeconds(w.Header(), clock(), Decision{RetryAfter: d})
		w.WriteHeader(http.StatusServiceUnavailable)
	})
}

// Drop returns a Fault that closes the connection without a response. A client of Transport gets ErrAborted.
// Over real HTTP the client gets io.EOF or a reset, or net/http sends the request again if that is safe.
func Drop() Fault {
	return answer(func(http.ResponseWriter) { panic(http.ErrAbortHandler) })
}

func answer(f func(http.ResponseWriter)) Fault {
	return func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { f(w) })
	}
}
