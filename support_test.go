package headway

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A baseFunc is a Base in memory.
type baseFunc func(*http.Request) (*http.Response, error)

func (f baseFunc) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// respond closes the request's body, as a RoundTripper must, and makes a
// response of name-value pairs.
func respond(req *http.Request, status int, fields ...string) *http.Response {
	if req.Body != nil {
		_, _ = io.Copy(io.Discard, req.Body)
		_ = req.Body.Close()
	}
	header := http.Header{}
	for i := 0; i < len(fields); i += 2 {
		header.Add(fields[i], fields[i+1])
	}
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: http.NoBody, Request: req,
	}
}

// answers is a Base that gives these responses in turn, the last one for ever,
// and remembers when it was asked and what for.
type answers struct {
	responses []func(*http.Request) *http.Response

	mu     sync.Mutex
	bodies []string
	times  []time.Time
}

func inTurn(responses ...func(*http.Request) *http.Response) *answers {
	return &answers{responses: responses}
}

func (a *answers) RoundTrip(req *http.Request) (*http.Response, error) {
	body := ""
	if req.Body != nil {
		b, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		body = string(b)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	next := a.responses[min(len(a.times), len(a.responses)-1)]
	a.bodies = append(a.bodies, body)
	a.times = append(a.times, time.Now())
	return next(req), nil
}

// sent returns how many requests arrived.
func (a *answers) sent() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.times)
}

// status returns a response of that status with these fields.
func status(code int, fields ...string) func(*http.Request) *http.Response {
	return func(req *http.Request) *http.Response { return respond(req, code, fields...) }
}

// usedUp is a 200 after which nothing is left for a minute.
func usedUp() func(*http.Request) *http.Response {
	return status(http.StatusOK, "RateLimit", `"minute";r=0;t=60`, "RateLimit-Policy", `"minute";q=10;w=60`)
}

// a trackedBody tells whether it was closed.
type trackedBody struct {
	io.Reader
	closed int
}

func newTrackedBody(text string) *trackedBody { return &trackedBody{Reader: strings.NewReader(text)} }

func (b *trackedBody) Close() error {
	b.closed++
	return nil
}

// requireHeld checks how long a request was held: never less than told, and
// clients come back within a second.
func requireHeld(t *testing.T, told, held time.Duration) {
	t.Helper()
	require.GreaterOrEqual(t, held, told, "never earlier than told")
	require.LessOrEqual(t, held, told+time.Second)
}

// get makes a GET request of url through rt.
func get(ctx context.Context, rt http.RoundTripper, url string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	return rt.RoundTrip(req)
}

const testURL = "https://api.example.com/things"

// prime makes one request, so that the transport learns what base tells.
func prime(t *testing.T, rt http.RoundTripper) {
	t.Helper()
	resp, err := get(t.Context(), rt, testURL)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
}

func newRequest(tb testing.TB, url string) *http.Request {
	tb.Helper()
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(tb, err)
	return req
}
