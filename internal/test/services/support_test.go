package services

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/headway-go/headway/internal/test/kit"
)

// A service is a Base in memory, of any host.
type service struct {
	answer  func(n int, req *http.Request) *http.Response // to the nth request, counted from 0
	latency time.Duration

	mu    sync.Mutex
	calls []serviceCall
}

type serviceCall struct {
	at                 time.Time
	method, host, body string
}

func (s *service) RoundTrip(req *http.Request) (*http.Response, error) {
	call := serviceCall{at: time.Now(), method: req.Method, host: req.URL.Host}
	if req.Body != nil {
		text, err := io.ReadAll(req.Body)
		if err = errors.Join(err, req.Body.Close()); err != nil {
			return nil, err
		}
		call.body = string(text)
	}
	s.mu.Lock()
	n := len(s.calls)
	s.calls = append(s.calls, call)
	s.mu.Unlock()
	time.Sleep(s.latency)
	resp := s.answer(n, req)
	resp.Request = req
	return resp, nil
}

// sent returns the requests that have arrived.
func (s *service) sent() []serviceCall {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// refusingOnce answers the first request with that, and all others with 200.
func refusingOnce(status int, header http.Header, body string) *service {
	return &service{answer: func(n int, _ *http.Request) *http.Response {
		if n > 0 {
			return answer(http.StatusOK, nil, "done")
		}
		return answer(status, header, body)
	}}
}

// answer is a response whose length is not announced.
func answer(status int, header http.Header, body string) *http.Response {
	resp := kit.Reply(status, header)
	if resp.Header == nil {
		resp.Header = http.Header{}
	}
	resp.Body, resp.ContentLength = io.NopCloser(strings.NewReader(body)), -1
	return resp
}

// A sending is a request and what came of it.
type sending struct {
	method, url, body string
	header            http.Header

	status int
	text   string // of the response
	took   time.Duration
}

// through sends the request through rt and reads the response to its end.
func (x *sending) through(ctx context.Context, rt http.RoundTripper) error {
	req, err := http.NewRequestWithContext(ctx, x.method, x.url, strings.NewReader(x.body))
	if err != nil {
		return err
	}
	if x.body == "" {
		req.Body, req.GetBody = nil, nil
	}
	maps.Copy(req.Header, x.header)
	begun := time.Now()
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return err
	}
	x.status, x.took = resp.StatusCode, time.Since(begun)
	text, err := io.ReadAll(resp.Body)
	x.text = string(text)
	return errors.Join(err, resp.Body.Close())
}

// requireText checks that a body came byte for byte. It prints none, as it may be long.
func requireText(t *testing.T, want, got string) {
	t.Helper()
	if got != want {
		t.Fatalf("a body of %d bytes, which are not the %d that were sent", len(got), len(want))
	}
}
