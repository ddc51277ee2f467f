package headway_test

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

	"github.com/stretchr/testify/require"
)

const hostileURL = "https://hostile.example/"

// A hostileServer is a Base in memory that says whatever a test wants.
type hostileServer struct {
	// answer makes the response to the nth request, counted from 0.
	answer func(n int, req *http.Request) *http.Response
	// latency is how long that takes.
	latency time.Duration

	mu       sync.Mutex
	arrivals []time.Time
}

func (s *hostileServer) RoundTrip(req *http.Request) (*http.Response, error) {
	s.mu.Lock()
	n := len(s.arrivals)
	s.arrivals = append(s.arrivals, time.Now())
	s.mu.Unlock()
	time.Sleep(s.latency)
	resp := s.answer(n, req)
	resp.Request = req
	return resp, nil
}

// always is a server that says the same each time.
func always(status int, header http.Header) *hostileServer {
	return &hostileServer{
		latency: 10 * time.Millisecond,
		answer:  func(int, *http.Request) *http.Response { return reply(status, header) },
	}
}

// reply is a response with a copy of header.
func reply(status int, header http.Header) *http.Response {
	return &http.Response{StatusCode: status, Header: header.Clone(), Body: io.NopCloser(strings.NewReader("body"))}
}

// fields makes a header of names and values.
func fields(namesAndValues ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(namesAndValues); i += 2 {
		h.Add(namesAndValues[i], namesAndValues[i+1])
	}
	return h
}

// arrived is how many requests arrived from then on, within d.
func (s *hostileServer) arrived(from time.Time, d time.Duration) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, at := range s.arrivals {
		if since := at.Sub(from); 0 <= since && since < d {
			n++
		}
	}
	return n
}

// busiest is the most requests that arrived within any d, from then on.
func (s *hostileServer) busiest(from time.Time, d time.Duration) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	most, oldest := 0, 0
	for i, at := range s.arrivals {
		for s.arrivals[oldest].Before(from) && oldest < i || at.Sub(s.arrivals[oldest]) >= d {
			oldest++
		}
		if !at.Before(from) {
			most = max(most, i-oldest+1)
		}
	}
	return most
}

// gap is how long after the one before it the nth request arrived.
func (s *hostileServer) gap(n int) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.arrivals[n].Sub(s.arrivals[n-1])
}

func (s *hostileServer) sent() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.arrivals)
}

// fetch makes one request through rt and reads the response to its end.
func fetch(ctx context.Context, rt http.RoundTripper) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, hostileURL, http.NoBody)
	if err != nil {
		return err
	}
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return errors.Join(err, resp.Body.Close())
}

// first makes a request whose response must arrive and be the server's word for
// word.
func first(t *testing.T, rt http.RoundTripper, status int, header http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, hostileURL, http.NoBody)
	require.NoError(t, err)
	resp, err := rt.RoundTrip(req)
	require.NoError(t, err)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, status, resp.StatusCode)
	require.Equal(t, "body", string(body))
	require.True(t, maps.EqualFunc(header, resp.Header, slices.Equal[[]string]), "header was changed") // not require.Equal, which would print ten megabytes
}

// crowd makes n requests at once and returns their errors, when all are over.
func crowd(ctx context.Context, rt http.RoundTripper, n int) []error {
	errs := make([]error, n)
	var group sync.WaitGroup
	for i := range errs {
		group.Go(func() { errs[i] = fetch(ctx, rt) })
	}
	group.Wait()
	return errs
}
