package ratelimittest

import (
	"net"
	"net/http"
	"time"
)

// A Handler is an http.Handler that puts a rate limit in front of another one. It asks its Limiter about
// every request, reports the limits in its Dialect, and logs the request. It refuses with 429 Too Many
// Requests and Retry-After (see Refuse). If the Limiter is a Releaser, the Handler calls Release when the
// handler of an allowed request has returned or panicked.
//
// The zero value limits nothing. A Handler is safe for concurrent use if the functions and handlers in its
// fields are. Once it serves, its fields must not be changed, and it must not be copied.
type Handler struct {
	// Limiter decides. nil: every request is allowed, and no limit is reported.
	Limiter Limiter
	// Dialect writes the decision into the header of each response. nil: Draft10.
	Dialect Dialect
	// RetryAfter writes Decision.RetryAfter into the header of each refusal, after Dialect. nil:
	// RetryAfterSeconds. Silent: no Retry-After.
	RetryAfter Dialect
	// Client names the client whose quota a request uses. nil: ClientOf.
	Client func(*http.Request) string
	// Cost returns the number of quota units that a request uses, see BytesOf. It is called once for each
	// request, before the decision. Cost may read the Body if it puts another one in its place. nil: 1
	// for each request.
	Cost func(*http.Request) int64
	// Next serves the requests that are allowed. The header fields of Dialect are already set, and Next
	// may change them. nil: an empty 200 OK.
	Next http.Handler
	// Refuse serves the requests that are refused, with another status or a body that explains. The
	// header fields of Dialect and RetryAfter are already set. nil: RefuseWith(429).
	Refuse http.Handler
	// Banned serves, instead of Refuse, the refused requests of banned clients, see Ban. The same header
	// fields are already set. nil: Refuse.
	Banned http.Handler
	// Log contains every request that arrived.
	Log Log
}

// NewHandler returns a Handler with the given Limiter and Dialect.
func NewHandler(l Limiter, d Dialect) *Handler {
	return &Handler{Limiter: l, Dialect: d}
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	client, cost := h.client(r), h.cost(r)
	now := clock() // after Cost, which may wait for the content
	d := h.decide(now, client, cost)
	if l, ok := h.Limiter.(Releaser); ok && d.Allowed {
		defer func() { l.Release(clock(), client, cost) }() // deferred, as the handler may panic
	}
	arrival := h.Log.add(Arrival{
		Time: now, Client: client, RemoteAddr: r.RemoteAddr,
		Method: r.Method, Path: r.URL.Path, Cost: cost, Allowed: d.Allowed,
	})
	h.write(w.Header(), now, d)

	sw := &statusWriter{ResponseWriter: w}
	h.serves(d).ServeHTTP(sw, (&decided{d, cost}).in(r))
	h.Log.answered(arrival, sw.final())
}

func (h *Handler) client(r *http.Request) string {
	if h.Client != nil {
		return h.Client(r)
	}
	return ClientOf(r)
}

func (h *Handler) cost(r *http.Request) int64 {
	if h.Cost != nil {
		return h.Cost(r)
	}
	return 1
}

func (h *Handler) decide(now time.Time, client string, cost int64) Decision {
	if h.Limiter == nil {
		return Decision{Allowed: true}
	}
	return h.Limiter.Take(now, client, cost)
}

func (h *Handler) write(header http.Header, now time.Time, d Decision) {
	dialect, retryAfter := h.Dialect, h.RetryAfter
	if dialect == nil {
		dialect = Draft10
	}
	if retryAfter == nil {
		retryAfter = RetryAfterSeconds
	}
	dialect(header, now, d)
	if !d.Allowed {
		retryAfter(header, now, d)
	}
}

func (h *Handler) serves(d Decision) http.Handler {
	switch {
	case !d.Allowed && d.Banned && h.Banned != nil:
		return h.Banned
	case !d.Allowed && h.Refuse != nil:
		return h.Refuse
	case !d.Allowed:
		return RefuseWith(http.StatusTooManyRequests)
	case h.Next != nil:
		return h.Next
	}
	return http.HandlerFunc(ok)
}

// RefuseWith returns a handler for Handler.Refuse or Banned that responds with status, such as 503 Service
// Unavailable, and a line of text. status must be 200 or above. The handler is safe for concurrent use.
func RefuseWith(status int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "rate limit reached", status)
	})
}

func ok(http.ResponseWriter, *http.Request) {}

// ClientOf names a request's client. The name is the Authorization field, or without one the remote address
// without the port. The Log contains the name, so tests should not use real credentials.
func ClientOf(r *http.Request) string {
	if auth := r.Header.Get("Authorization"); auth != "" {
		return auth
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
