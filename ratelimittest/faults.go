package ratelimittest

import (
	"net/http"
	"time"
)

// A Fault makes a server misbehave: it wraps a handler in another one that
// answers in its place, or spoils its answers. Faults can be wrapped in each
// other, and a test can write its own. For a nil handler they wrap an empty
// 200 OK. The handlers that they return are safe for concurrent use if next is.
//
// Where a Fault stands decides what the limiter knows of it. In front of a
// Handler it is a proxy that answers by itself, and what it does not hand on is
// neither counted nor in the Log:
//
//	server := ratelimittest.When(ratelimittest.Every(10), ratelimittest.Drop())(h)
//
// Behind it, as Handler.Next, it happens to requests that were allowed and
// counted; those that it drops keep Status 0 in the Log:
//
//	h.Next = ratelimittest.When(ratelimittest.Every(10), ratelimittest.Drop())(next)
//
// Faults work over real HTTP as they do in a Transport.
type Fault func(next http.Handler) http.Handler

// When returns a Fault that happens to the requests for which victim returns
// true; the others pass. victim is called once for each request, concurrently.
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

// BareRefusal returns a Fault that answers 429 Too Many Requests without a
// reason: no body, and no header fields but Date and Content-Length, not even those
// of the Handler in front of it.
func BareRefusal() Fault {
	return answer(func(w http.ResponseWriter) {
		clear(w.Header())
		w.WriteHeader(http.StatusTooManyRequests)
	})
}

// Unavailable returns a Fault that answers 503 Service Unavailable with a
// Retry-After of d in whole seconds, rounded up. 0 or negative: without one.
func Unavailable(d time.Duration) Fault {
	return answer(func(w http.ResponseWriter) {
		RetryAfterSeconds(w.Header(), clock(), Decision{RetryAfter: d})
		w.WriteHeader(http.StatusServiceUnavailable)
	})
}

// Drop returns a Fault that closes the connection without a response. A client
// of Transport gets ErrAborted, one over real HTTP io.EOF or a reset; there
// net/http may send a request again that can be repeated.
func Drop() Fault {
	return answer(func(http.ResponseWriter) { panic(http.ErrAbortHandler) })
}

func answer(f func(http.ResponseWriter)) Fault {
	return func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { f(w) })
	}
}
