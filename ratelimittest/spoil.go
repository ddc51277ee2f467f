package ratelimittest

import (
	"net/http"
	"time"
)

// CutOff returns a Fault that sends only the first n bytes of a body and then closes the connection. The
// client's next Read fails with io.ErrUnexpectedEOF. A body of at most n bytes is sent whole, and so is the
// response to HEAD. If n is 0 or negative, only the header of a response with a body is sent.
//
// net/http guesses a missing Content-Type from the bytes that are sent, so a page of HTML may become
// text/plain.
func CutOff(n int64) Fault {
	return spoilBody(func(r *http.Request, w *spoiler) {
		left := max(n, 0)
		w.write = func(p []byte) (int, error) {
			if int64(len(p)) <= left {
				left -= int64(len(p))
				return w.ResponseWriter.Write(p)
			}
			_, _ = w.ResponseWriter.Write(p[:left]) // no error to handle: the connection ends
			w.Flush()
			panic(http.ErrAbortHandler)
		}
	})
}

// SlowBody returns a Fault that sends a body in pieces of at most n bytes, with a pause of gap between them.
// The first piece is sent at once, together with the header. If next sets no Content-Length, there is none.
// If next sets no Content-Type, net/http guesses it from the first piece. When the client leaves, writes of
// next fail. If n is 0 or negative, a piece has one byte. If gap is 0 or negative, there is no pause.
func SlowBody(n int, gap time.Duration) Fault {
	n = max(n, 1)
	return spoilBody(func(r *http.Request, w *spoiler) {
		begun := false
		w.write = func(p []byte) (written int, err error) {
			for written < len(p) {
				if begun {
					if err := sleep(r.Context(), gap); err != nil {
						return written, err
					}
				}
				begun = true
				k, err := w.ResponseWriter.Write(p[written:min(written+n, len(p))])
				written += k
				if err != nil {
					return written, err
				}
				w.Flush()
			}
			return written, nil
		}
	})
}

// SlowHeader returns a Fault that delays the header by d after next has written it. So limits and RetryAfter
// are older by d when they arrive. The delay ends if the client leaves. If d is 0 or negative, there is no
// delay.
func SlowHeader(d time.Duration) Fault {
	return spoil(func(r *http.Request, w *spoiler) {
		w.begin = func() { _ = sleep(r.Context(), d) } // no error to handle: next sees that the client has left
	})
}

// spoil returns a Fault with a spoiler between next and the network. arm sets the spoiler's functions.
func spoil(arm func(*http.Request, *spoiler)) Fault {
	return func(next http.Handler) http.Handler {
		if next == nil {
			next = http.HandlerFunc(ok)
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s := &spoiler{ResponseWriter: w, begin: func() {}, write: w.Write}
			arm(r, s)
			next.ServeHTTP(s, r)
			s.started()
		})
	}
}

// spoilBody is spoil for responses with a body: not for HEAD.
func spoilBody(arm func(*http.Request, *spoiler)) Fault {
	return spoil(func(r *http.Request, w *spoiler) {
		if r.Method != http.MethodHead {
			arm(r, w)
		}
	})
}

// A spoiler is an http.ResponseWriter that calls begin before the header is sent, and write for each Write.
// WriteHeader alone does not send the header yet.
type spoiler struct {
	http.ResponseWriter
	begin func() // called once, before the header is sent
	write func([]byte) (int, error)
	begun bool
}

func (s *spoiler) started() {
	if !s.begun {
		s.begun = true
		s.begin()
	}
}

func (s *spoiler) Write(p []byte) (int, error) {
	s.started()
	return s.write(p)
}

// Flush implements http.Flusher.
func (s *spoiler) Flush() {
	s.started()
	_ = http.NewResponseController(s.ResponseWriter).Flush() // http.Flusher has no error to return
}

// Unwrap makes http.ResponseController work.
func (s *spoiler) Unwrap() http.ResponseWriter { return s.ResponseWriter }
