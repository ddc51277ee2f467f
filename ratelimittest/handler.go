package ratelimittest

import (
	"net"
	"net/http"
	"time"
)

// A Handler is an http.Handler that limits the rate of another one. It asks its
// Limiter about every request, tells the client how it stands in its Dialect,
// refuses with 429 Too Many Requests and Retry-After (see Refuse), and keeps a log
// of what arrived. To a Limiter that is a Releaser it says when the handler of an
// allowed request has returned, or panicked.
//
// Its zero value limits nothing. It is safe for concurrent use, for which what it
// calls must be as well; its fields must not be changed, nor the Handler copied, once
// it serves.
type Handler struct {
	// Limiter decides. nil: every request is allowed and no limit reported.
	Limiter Limiter
	// Dialect writes the decision into each response. nil: Draft10.
	Dialect Dialect
	// RetryAfter writes the time to come back into each refusal, after Dialect.
	// nil: RetryAfterSeconds. Silent: none.
	RetryAfter Dialect
	// Client names the client whose quota a request uses. nil: ClientOf.
	Client func(*http.Request) string
	// Cost tells how many quota units a request uses, such as BytesOf. It is called
	// once for each request, before the decision, and may read the Body if it puts
	// another one in its place. nil: 1 for each.
	Cost func(*http.Request) int64
	// Next serves the requests that are allowed. It finds the header fields of
	// Dialect already set and may change them. nil: an empty 200 OK.
	Next http.Handler
	// Refuse serves the requests that are refused: another status, a body that
	// says why. It finds the header fields of Dialect and RetryAfter already set.
	// nil: RefuseWith(429).
	Refuse http.Handler
	// Banned serves, in place of Refuse, the requests that are refused because their client
	// is banned, see Ban. It finds the same header fields. nil: Refuse.
	Banned http.Handler
	// Log has every request that arrived.
	Log Log
}

// NewHandler returns a Handler with the given Limiter and Dialect.
func NewHandler(l Limiter, d Dialect) *Handler {
	return &Handler{Limiter: l, Dialect: d}
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	client, cost := h.client(r), h.cost(r)
	now := clock() // after Cost, which may have waited for the content
	d := h.decide(now, client, cost)
	if l, ok := h.Limiter.(Releaser); ok && d.Allowed {
		defer func() { l.Release(clock(), client, cost) }() // even if the handler panics
	}
	arrival := h.Log.add(Arrival{
		Time: now, Client: client, RemoteAddr: r.RemoteAddr,
		Method: r.Method, Path: r.URL.Path, Cost: cost, Allowed: d.Allowed,
	})
	h.write(w.Header(), now, d)

	sw := &statusWriter{ResponseWriter: w}
	h.serves(d).ServeHTTP(sw, r)
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

// RefuseWith returns a Handler.Refuse that answers with status, such as 503 Service
// Unavailable, and a line of text. status must be one that ends a response, 200 or
// above. Its use as an http.Handler is safe concurrently.
func RefuseWith(status int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "rate limit reached", status)
	})
}

func ok(http.ResponseWriter, *http.Request) {}

// ClientOf names the client of a request: by its Authorization field, or without
// one by its remote address without the port. The name is the field as sent and
// goes into the Log, so tests should use credentials of their own.
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
