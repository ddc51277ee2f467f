package kit

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// ServerURL is the URL of Crowd. No built-in profile matches its host.
const ServerURL = "https://hostile.example/"

// A Server is a Base in memory whose responses a function makes. It may be used concurrently.
type Server struct {
	// Answer makes the response to the nth request, from 0.
	Answer func(n int, req *http.Request) *http.Response
	// Latency is how long a response takes.
	Latency time.Duration

	mu    sync.Mutex
	calls []Call
}

// A Call is a request that has arrived at a Server.
type Call struct {
	At   time.Time
	Body string
}

// Always returns a Server whose responses are all the same.
func Always(status int, header http.Header) *Server {
	return &Server{
		Latency: 10 * time.Millisecond,
		Answer:  func(int, *http.Request) *http.Response { return Reply(status, header) },
	}
}

// RoundTrip implements [http.RoundTripper].
func (s *Server) RoundTrip(req *http.Request) (*http.Response, error) {
	call := Call{At: time.Now()}
	if req.Body != nil {
		text, err := io.ReadAll(req.Body)
		if err = errors.Join(err, req.Body.Close()); err != nil {
			return nil, err
		}
		call.Body = string(text)
	}
	s.mu.Lock()
	n := len(s.calls)
	s.calls = append(s.calls, call)
	s.mu.Unlock()
	time.Sleep(s.Latency)
	resp := s.Answer(n, req)
	resp.Request = req
	return resp, nil
}

// Arrived returns how many requests arrived within d from a time on.
func (s *Server) Arrived(from time.Time, d time.Duration) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, call := range s.calls {
		if since := call.At.Sub(from); 0 <= since && since < d {
			n++
		}
	}
	return n
}

// Busiest returns the most requests that arrived within any d, from a time on.
func (s *Server) Busiest(from time.Time, d time.Duration) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	most, oldest := 0, 0
	for i, call := range s.calls {
		for s.calls[oldest].At.Before(from) && oldest < i || call.At.Sub(s.calls[oldest].At) >= d {
			oldest++
		}
		if !call.At.Before(from) {
			most = max(most, i-oldest+1)
		}
	}
	return most
}

// Gap returns the time between the arrival of the nth request and the one before.
func (s *Server) Gap(n int) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[n].At.Sub(s.calls[n-1].At)
}

// Calls returns the requests that have arrived, in order.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Sent returns how many requests have arrived.
func (s *Server) Sent() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.calls)
}

// Reply returns a response with a copy of header and the body "body".
func Reply(status int, header http.Header) *http.Response {
	return &http.Response{StatusCode: status, Header: header.Clone(), Body: io.NopCloser(strings.NewReader("body"))}
}

// Crowd makes n concurrent requests to ServerURL and returns their errors.
func Crowd(ctx context.Context, rt http.RoundTripper, n int) []error {
	errs := make([]error, n)
	var group sync.WaitGroup
	for i := range errs {
		group.Go(func() { errs[i] = Fetch(ctx, rt, ServerURL) })
	}
	group.Wait()
	return errs
}
