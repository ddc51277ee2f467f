package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// A sender sends requests to an upstream as their turn comes: the Base of the upstream's headway.Transport. So the time limit
// for a response does not count the wait for a turn.
type sender struct{ *upstream }

// RoundTrip gives up, with a *silentError, on an upstream that neither takes content nor answers for the response timeout.
func (s sender) RoundTrip(req *http.Request) (*http.Response, error) {
	began := time.Now()
	resp, err := s.send(req)
	if err == nil {
		s.answers.Observe(time.Since(began).Seconds())
	}
	return resp, err
}

func (s sender) send(req *http.Request) (*http.Response, error) {
	limit := *s.ResponseTimeout
	if limit <= 0 {
		return s.base.RoundTrip(req)
	}
	ctx, cancel := context.WithCancelCause(req.Context()) // ends with the request of the client, as the response's content needs it
	p := &timeLimit{length: limit, timer: time.AfterFunc(limit, func() { cancel(&silentError{limit}) })}
	req = req.WithContext(ctx)
	req.Body = p.watch(req.Body)
	if again := req.GetBody; again != nil { // net/http calls it where an idle connection turns out to be closed
		req.GetBody = func() (io.ReadCloser, error) {
			body, err := again()
			return p.watch(body), err
		}
	}
	resp, err := s.base.RoundTrip(req)
	p.end()
	if late, isLate := errors.AsType[*silentError](context.Cause(ctx)); isLate {
		if resp != nil {
			_ = resp.Body.Close() // it came in the moment of the limit
		}
		return nil, late
	}
	return resp, err
}

// A silentError says that an upstream took too long to begin its response.
type silentError struct{ limit time.Duration }

func (e *silentError) Error() string {
	return fmt.Sprintf("proxy: the upstream did not answer within the response-timeout of %v", e.limit)
}

// Timeout makes the error a 504.
func (e *silentError) Timeout() bool { return true }

// A timeLimit is a time limit that begins anew with each part of the content that an upstream takes. It does not run while the
// proxy waits for the client to send more.
type timeLimit struct {
	length time.Duration

	mu    sync.Mutex
	timer *time.Timer // guarded by mu; nil: the upstream has answered
}

func (p *timeLimit) change(change func(*time.Timer)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil {
		change(p.timer)
	}
}

func (p *timeLimit) end() { p.change(func(t *time.Timer) { t.Stop(); p.timer = nil }) }

// watch returns content whose readings move the limit.
func (p *timeLimit) watch(content io.ReadCloser) io.ReadCloser {
	if content == nil || content == http.NoBody {
		return content
	}
	return watched{content, p}
}

type watched struct {
	io.ReadCloser

	limit *timeLimit
}

func (w watched) Read(p []byte) (int, error) {
	w.limit.change(func(t *time.Timer) { t.Stop() })
	defer w.limit.change(func(t *time.Timer) { t.Reset(w.limit.length) })
	return w.ReadCloser.Read(p)
}
