package kit

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// A BaseFunc is a Base that is a function.
type BaseFunc func(*http.Request) (*http.Response, error)

// RoundTrip implements [http.RoundTripper].
func (f BaseFunc) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// Respond closes the request's body, as a RoundTripper must. It returns a response with the fields,
// given as pairs of name and value.
func Respond(req *http.Request, status int, fields ...string) *http.Response {
	if req.Body != nil {
		_, _ = io.Copy(io.Discard, req.Body)
		_ = req.Body.Close()
	}
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: Fields(fields...), Body: http.NoBody, Request: req,
	}
}

// Fields returns a header of pairs of name and value.
func Fields(namesAndValues ...string) http.Header {
	header := http.Header{}
	for i := 0; i < len(namesAndValues); i += 2 {
		header.Add(namesAndValues[i], namesAndValues[i+1])
	}
	return header
}

// Status returns a response with that status and these fields.
func Status(code int, fields ...string) func(*http.Request) *http.Response {
	return func(req *http.Request) *http.Response { return Respond(req, code, fields...) }
}

// UsedUp is a 200 that reports no remaining quota for a minute.
func UsedUp() func(*http.Request) *http.Response {
	return Status(http.StatusOK, "RateLimit", `"minute";r=0;t=60`, "RateLimit-Policy", `"minute";q=10;w=60`)
}

// InFlight is a 200 with that body and a limit of q concurrent requests.
func InFlight(q string, body func() io.ReadCloser) func(*http.Request) *http.Response {
	return func(req *http.Request) *http.Response {
		resp := Respond(req, http.StatusOK, "RateLimit-Policy", `"c";q=`+q+`;qu="concurrent-requests"`, "RateLimit", `"c";r=1`)
		resp.Body = body()
		return resp
	}
}

// Answers is a Base that returns its responses in turn, and the last one from then on. It records the
// requests.
type Answers struct {
	// Bodies and Times are the requests' bodies and times of arrival. They must not be read while
	// requests are in flight.
	Bodies []string
	Times  []time.Time

	mu        sync.Mutex
	responses []func(*http.Request) *http.Response
}

// InTurn returns Answers with these responses.
func InTurn(responses ...func(*http.Request) *http.Response) *Answers {
	return &Answers{responses: responses}
}

// RoundTrip implements [http.RoundTripper].
func (a *Answers) RoundTrip(req *http.Request) (*http.Response, error) {
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
	next := a.responses[min(len(a.Times), len(a.responses)-1)]
	a.Bodies = append(a.Bodies, body)
	a.Times = append(a.Times, time.Now())
	return next(req), nil
}

// Sent returns how many requests have arrived.
func (a *Answers) Sent() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.Times)
}

// A TrackedBody counts how often it was closed.
type TrackedBody struct {
	io.Reader
	Closed int
}

// NewTrackedBody returns a body with that text.
func NewTrackedBody(text string) *TrackedBody { return &TrackedBody{Reader: strings.NewReader(text)} }

// Close implements [io.Closer].
func (b *TrackedBody) Close() error {
	b.Closed++
	return nil
}
