package ratelimittest

import (
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"time"

	"github.com/headway-go/headway/internal/memhttp"
)

// A Handler is an http.Handler that puts a rate limit in front of another one. It asks its Limiter about
// every request, reports the limits in its Dialect, and logs the request. It refuses with 429 Too Many
// Requests and Retry-After (see Refuse). If the Limiter has a Release, the Handler calls it when the handler
// of an allowed request has returned or panicked.
//
// The zero value limits nothing. A Handler is safe for concurrent use if the functions and handlers in its
// fields are. Once it serves, its fields must not be changed, and it must not be copied.
type Handler struct {
	// Limiter decides. nil: every request is allowed, and no limit is reported.
	Limiter Limiter
	// Dialect writes the decision into the header of each response. nil: Draft10.
	Dialect Dialect
	// RetryAfter writes into the header of each refusal, after Dialect. nil: Retry-After in seconds. Silent: nothing.
	RetryAfter Dialect
	// Client names the client whose quota a request uses. nil: the Authorization field, or without one the remote
	// address without the port. Arrivals have the name, so tests should not use real credentials.
	Client func(*http.Request) string
	// Cost returns the number of quota units that a request uses, such as its ContentLength. It is called once for
	// each request, before the decision. Cost may read the Body if it puts another one in its place. nil: 1.
	Cost func(*http.Request) int64
	// Next serves the requests that are allowed. The header fields of Dialect are already set, and Next
	// may change them. nil: an empty 200 OK.
	Next http.Handler
	// Refuse serves the requests that are refused, with another status or a body that explains. The
	// header fields of Dialect and RetryAfter are already set. nil: 429 and a line of text, see Respond.
	Refuse http.Handler
	// Banned serves, instead of Refuse, the refused requests of banned clients, see Ban. The same header
	// fields are already set. nil: Refuse.
	Banned http.Handler

	mu  sync.Mutex
	log []*Arrival // guarded by mu, and so is each Arrival
}

// Arrivals returns the requests that have arrived, in the order of arrival. It may be called at any time.
func (h *Handler) Arrivals() Arrivals {
	h.mu.Lock()
	all := make(Arrivals, len(h.log))
	for i, a := range h.log {
		all[i] = *a
	}
	h.mu.Unlock()
	// Concurrent requests may read the clock in one order and be logged in another.
	slices.SortStableFunc(all, func(a, b Arrival) int { return a.Time.Compare(b.Time) })
	return all
}

// Reset forgets the requests that have arrived. Until then a Handler keeps all of them.
func (h *Handler) Reset() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.log = nil
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	client, cost := h.client(r), h.cost(r)
	now := clock() // after Cost, which may wait for the content
	d := h.decide(now, client, cost)
	if d.Allowed {
		defer func() { release(h.Limiter, clock(), client, cost) }() // deferred, as the handler may panic
	}
	arrival := &Arrival{
		Time: now, Client: client, RemoteAddr: r.RemoteAddr,
		Method: r.Method, Path: r.URL.Path, Cost: cost, Allowed: d.Allowed,
	}
	h.mu.Lock()
	h.log = append(h.log, arrival)
	h.mu.Unlock()
	h.write(w.Header(), now, d)

	sw := &memhttp.StatusWriter{ResponseWriter: w}
	h.serves(d).ServeHTTP(sw, decided(r, now, d, cost))
	h.mu.Lock()
	defer h.mu.Unlock()
	arrival.Status = sw.Status()
}

func (h *Handler) client(r *http.Request) string {
	if h.Client != nil {
		return h.Client(r)
	}
	return clientOf(r)
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
		retryAfter = retryAfterSeconds
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
		return Respond(http.StatusTooManyRequests, "rate limit reached\n")
	case h.Next != nil:
		return h.Next
	}
	return http.HandlerFunc(ok)
}

func ok(http.ResponseWriter, *http.Request) {}

func clientOf(r *http.Request) string {
	if auth := r.Header.Get("Authorization"); auth != "" {
		return auth
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// clock reads the time. Inside a testing/synctest bubble that is the bubble's.
func clock() time.Time {
	return time.Now() //nolint:forbidigo // a server has a clock
}

// A Server is a Handler behind a real HTTP server on a loopback address. URL, Client, Close and the rest work
// as in httptest.Server. A Server does not work inside a testing/synctest bubble; use Transport there.
type Server struct {
	*httptest.Server

	// Handler serves the requests and logs them. Set its other fields before the first request.
	Handler *Handler
}

// NewServer starts a Server with the given Limiter and Dialect. The caller must Close it.
func NewServer(l Limiter, d Dialect) *Server {
	h := &Handler{Limiter: l, Dialect: d}
	return &Server{Server: httptest.NewServer(h), Handler: h}
}
