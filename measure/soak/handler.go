package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/headway-go/headway/ratelimittest"
)

const idHeader = "Soak-Request"

// A visit is one arrival of a request at the server.
type visit struct {
	record              *record
	generation          int64
	fault               fault // that the visit meets
	processed, cutShort bool
	status              int
}

type visitKey struct{}

// entered records that a request arrives. One visit of each request meets the request's fault.
func (l *ledger) entered(r *http.Request) *visit {
	id, _ := strconv.ParseUint(r.Header.Get(idHeader), 10, 64) // 0 for an invalid id, which no request has
	l.mu.Lock()
	defer l.mu.Unlock()
	rec := l.records[id]
	if rec == nil {
		l.violateLocked("request %d arrived when it was over, or never was", id)
		return nil
	}
	rec.running++
	return &visit{record: rec, generation: r.Context().Value(generationKey{}).(int64)}
}

// meet returns the fault for this visit, once the server begins to process it.
func (l *ledger) meet(v *visit) fault {
	l.mu.Lock()
	defer l.mu.Unlock()
	if v.record.faulted || v.record.fault == noFault {
		return noFault
	}
	v.record.faulted = true
	v.fault = v.record.fault
	l.faults[v.fault]++
	return v.fault
}

// left records what the server did.
func (l *ledger) left(v *visit) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := v.record
	r.running--
	if v.cutShort {
		r.lost++
	}
	did := "not processed"
	switch {
	case v.processed:
		did = "processed"
		if r.processed++; r.processed == 1 {
			r.first = v.generation
		}
		r.last = v.generation
	case v.status == http.StatusTooManyRequests:
		did = "429"
		r.throttled++
	case v.status == http.StatusServiceUnavailable:
		did = "503"
		r.unavailable++
	default:
		r.unprocessed++
	}
	l.arrivals[did]++
}

// accounts records the visits of the handler behind it.
func (l *ledger) accounts(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := l.entered(r)
		if v == nil {
			return
		}
		defer func() {
			if broken := recover(); broken != nil {
				v.cutShort = true
				defer panic(broken)
			}
			l.left(v)
		}()
		next.ServeHTTP(&statusWriter{w, v}, r.WithContext(context.WithValue(r.Context(), visitKey{}, v)))
	})
}

// A statusWriter records a response's status.
type statusWriter struct {
	http.ResponseWriter
	visit *visit
}

func (w *statusWriter) WriteHeader(status int) {
	w.visit.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// work processes a request or lets it meet its fault.
func (l *ledger) work() http.Handler {
	process := http.HandlerFunc(l.process)
	faults := map[fault]http.Handler{
		noFault:     process,
		dropBefore:  ratelimittest.Fault{Drop: true}.Wrap(process),
		dropAfter:   http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { l.process(nil, r); panic(http.ErrAbortHandler) }),
		cutBody:     ratelimittest.Fault{CutAfter: 100}.Wrap(process),
		slowBody:    ratelimittest.Fault{PieceSize: 2 << 10, BodyDelay: 20 * time.Millisecond}.Wrap(process),
		slowHeader:  ratelimittest.Fault{HeaderDelay: 100 * time.Millisecond}.Wrap(process),
		unavailable: ratelimittest.Fault{Status: http.StatusServiceUnavailable, RetryAfter: time.Second}.Wrap(process),
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		faults[l.meet(r.Context().Value(visitKey{}).(*visit))].ServeHTTP(w, r)
	})
}

// process is the service. Without a ResponseWriter it sends no response.
func (l *ledger) process(w http.ResponseWriter, r *http.Request) {
	v := r.Context().Value(visitKey{}).(*visit)
	p := &v.record.plan
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	if r.Method != p.method || !bytes.Equal(body, p.content(p.size)) {
		l.violate("request %d arrived as %s with %d bytes, not as it was made", p.id, r.Method, len(body))
	}
	v.processed = true
	if w != nil {
		_, _ = w.Write(p.content(p.answer)) // the client may be gone
	}
}

// A storm refuses all requests while it lasts.
type storm struct{ kind atomic.Int32 }

// These are the kinds of storms.
const (
	calm       int32 = iota
	announced        // 429 with Retry-After
	overloaded       // 503 with Retry-After
	bare             // 429 without Retry-After
)

// kindOf returns the kind of the nth storm. Bare refusals are rare, as the pace found by trial would leave few
// requests.
func kindOf(n int) int32 { return [...]int32{announced, overloaded, bare, announced, overloaded}[n%5] }

func (s *storm) before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind := s.kind.Load()
		if kind == calm {
			next.ServeHTTP(w, r)
			return
		}
		status := http.StatusTooManyRequests
		if kind == overloaded {
			status = http.StatusServiceUnavailable
		}
		if kind != bare {
			w.Header().Set("Retry-After", "1")
		}
		ratelimittest.Respond(status, "rate limit reached").ServeHTTP(w, r)
	})
}
