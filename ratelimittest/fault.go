package ratelimittest

import (
	"net/http"
	"sync/atomic"
	"time"

	"github.com/headway-go/headway/internal/memhttp"
)

// A Fault makes a server misbehave. Every and When select the requests that it strikes, and the other fields say how.
// With Drop only Drop counts, and with Status only Status and RetryAfter. The zero value strikes all requests and does
// nothing.
//
// The position of a Fault decides whether the limiter sees the request. In front of a Handler, a Fault is a
// faulty proxy. Requests to which it responds itself are not counted and not among the Arrivals:
//
//	server := ratelimittest.Fault{Every: 10, Drop: true}.Wrap(h)
//
// Behind a Handler, as Handler.Next, a Fault strikes requests that were allowed and counted. Requests that it
// drops have Status 0:
//
//	h.Next = ratelimittest.Fault{Every: 10, Drop: true}.Wrap(next)
//
// Faults work over real HTTP and in a Transport.
type Fault struct {
	// Every makes the Fault strike each nth request. 0 or negative: every request.
	Every int
	// When reports whether the Fault may strike a request; the others do not count for Every. It is called once for
	// each request, concurrently. nil: every request.
	When func(*http.Request) bool

	// Drop closes the connection without a response. A client of Transport gets an error that is io.EOF. Over real
	// HTTP the client gets io.EOF or a reset, or net/http sends the request again if that is safe.
	Drop bool
	// Status is the status of a response without any explanation, such as 429 or 503. The response has no body, and
	// fields of a Handler in front of the Fault are removed. 0: the wrapped handler responds.
	Status int
	// RetryAfter is the Retry-After of a response with Status, in whole seconds, rounded up. 0 or negative: none.
	RetryAfter time.Duration
	// HeaderDelay delays the response by that much after the handler has written it. So limits and RetryAfter are
	// older when they arrive. The delay ends if the client leaves. 0 or negative: none.
	HeaderDelay time.Duration
	// BodyDelay sends the body in pieces of PieceSize, each that long after the one before. The first piece is sent
	// at once, together with the header. When the client leaves, writes of the handler fail. 0 or negative: none.
	BodyDelay time.Duration
	// PieceSize is the number of bytes of a piece. 0 or negative: 1.
	PieceSize int
	// CutAfter sends only so many bytes of the body and then closes the connection. The client's next Read fails with
	// io.ErrUnexpectedEOF. A body of at most that length is sent whole, and so is the response to HEAD. Negative: only
	// the header of a response with a body is sent. 0: nothing is cut.
	CutAfter int64
}

// Wrap returns a handler that serves as next does, except for the requests that the Fault strikes. If next is nil, it
// wraps an empty 200 OK. The returned handler is safe for concurrent use if next is. It counts for Every by itself.
func (f Fault) Wrap(next http.Handler) http.Handler {
	if next == nil {
		next = http.HandlerFunc(ok)
	}
	var n atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case f.When != nil && !f.When(r), f.Every > 1 && n.Add(1)%int64(f.Every) != 0:
			next.ServeHTTP(w, r)
		case f.Drop:
			panic(http.ErrAbortHandler)
		case f.Status != 0:
			clear(w.Header())
			retryAfterSeconds(w.Header(), time.Time{}, Decision{RetryAfter: f.RetryAfter})
			w.WriteHeader(f.Status)
		default:
			s := &spoiler{ResponseWriter: w, fault: f, r: r}
			next.ServeHTTP(s, r)
			s.begin()
		}
	})
}

// A spoiler is an http.ResponseWriter that delays a response and cuts it off. WriteHeader alone does not send the header
// yet.
type spoiler struct {
	http.ResponseWriter
	fault  Fault
	r      *http.Request
	begun  bool  // the header has been delayed
	pieces int   // of the body that have been sent
	length int64 // of the body so far
}

func (s *spoiler) begin() {
	if !s.begun {
		s.begun = true
		_ = memhttp.Sleep(s.r.Context(), s.fault.HeaderDelay) // no error to handle: the handler sees that the client has left
	}
}

func (s *spoiler) Write(p []byte) (written int, err error) {
	s.begin()
	if s.r.Method == http.MethodHead || s.fault.CutAfter == 0 {
		return s.pass(p)
	}
	left := max(s.fault.CutAfter, 0) - s.length
	if int64(len(p)) <= left {
		s.length += int64(len(p))
		return s.pass(p)
	}
	_, _ = s.pass(p[:left]) // no error to handle: the connection ends
	s.Flush()
	panic(http.ErrAbortHandler)
}

// pass writes p in pieces.
func (s *spoiler) pass(p []byte) (written int, err error) {
	if s.r.Method == http.MethodHead || s.fault.BodyDelay <= 0 {
		return s.ResponseWriter.Write(p)
	}
	for written < len(p) {
		if s.pieces > 0 {
			if err := memhttp.Sleep(s.r.Context(), s.fault.BodyDelay); err != nil {
				return written, err
			}
		}
		s.pieces++
		n, err := s.ResponseWriter.Write(p[written:min(written+max(s.fault.PieceSize, 1), len(p))])
		written += n
		if err != nil {
			return written, err
		}
		s.Flush()
	}
	return written, nil
}

// Flush implements http.Flusher.
func (s *spoiler) Flush() {
	s.begin()
	_ = http.NewResponseController(s.ResponseWriter).Flush() // http.Flusher has no error to return
}

// Unwrap makes http.ResponseController work.
func (s *spoiler) Unwrap() http.ResponseWriter { return s.ResponseWriter }
