package ratelimittest

import (
	"net/http"
	"time"
)

// CutOff returns a Fault that lets the first n bytes of a body pass and then
// closes the connection: reading on fails with io.ErrUnexpectedEOF. A body of n
// bytes or fewer passes whole, and so does the response to HEAD. 0 or negative:
// the header passes, and nothing of a body that is not empty. A Content-Type that
// next does not set is guessed of what passes, as net/http does: a page of HTML may
// arrive as text/plain.
func CutOff(n int64) Fault {
	return spoilBody(func(r *http.Request, w *spoiler) {
		left := max(n, 0)
		w.write = func(p []byte) (int, error) {
			if int64(len(p)) <= left {
				left -= int64(len(p))
				return w.ResponseWriter.Write(p)
			}
			_, _ = w.ResponseWriter.Write(p[:left]) // whether it arrives or not
			w.Flush()
			panic(http.ErrAbortHandler)
		}
	})
}

// SlowBody returns a Fault that sends a body in pieces of at most n bytes and lets
// gap pass between them; the first leaves at once, with the header. The response
// has no Content-Length but one that next sets, and a Content-Type that next does
// not set is guessed of the first piece alone. When the client goes away, next can
// write no more. 0 or negative n: one byte; gap: none.
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

// SlowHeader returns a Fault that holds a header back for d from when next has
// decided on it, so that what it tells of limits and times to wait is that much
// older on arrival. When the client goes away, it goes on at once. 0 or negative:
// no time.
func SlowHeader(d time.Duration) Fault {
	return spoil(func(r *http.Request, w *spoiler) {
		w.begin = func() { _ = sleep(r.Context(), d) } // next will see that the client has gone
	})
}

// spoil returns a Fault with a spoiler between next and the network.
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

// spoilBody is spoil for responses with a body.
func spoilBody(arm func(*http.Request, *spoiler)) Fault {
	return spoil(func(r *http.Request, w *spoiler) {
		if r.Method != http.MethodHead {
			arm(r, w)
		}
	})
}

// A spoiler is an http.ResponseWriter that does something of its own before the
// header is sent, which no WriteHeader does yet, and instead of writing.
type spoiler struct {
	http.ResponseWriter
	begin func() // called once
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

// Unwrap is for http.ResponseController.
func (s *spoiler) Unwrap() http.ResponseWriter { return s.ResponseWriter }
