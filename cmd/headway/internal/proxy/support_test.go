package proxy

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// api is the upstream of tests in virtual time.
const api = "https://api.example.com"

// A baseFunc is an upstream in memory.
type baseFunc func(*http.Request) (*http.Response, error)

func (f baseFunc) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// served makes an upstream of a handler, in memory.
func served(handler http.HandlerFunc) http.RoundTripper {
	return &ratelimittest.Transport{Handler: handler}
}

// limited makes an upstream with a limit, in memory. It keeps the requests that it has allowed.
func limited(limiter ratelimittest.Limiter) (base http.RoundTripper, allowed *requests) {
	allowed = &requests{}
	handler := &ratelimittest.Handler{Limiter: limiter, Dialect: ratelimittest.Draft10}
	handler.Next = allowed
	return &ratelimittest.Transport{Handler: handler}, allowed
}

// requests are what an upstream has served.
type requests struct {
	mu  sync.Mutex
	all []*http.Request
}

func (r *requests) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, req)
}

// last returns the last request.
func (r *requests) last(t *testing.T) *http.Request {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	require.NotEmpty(t, r.all)
	return r.all[len(r.all)-1]
}

func (r *requests) queries() (all []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, req := range r.all {
		all = append(all, req.URL.RawQuery)
	}
	return all
}

// A logBuffer is a log in memory.
type logBuffer struct {
	mu      sync.Mutex
	written sync.Cond // on mu
	text    bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.written.Broadcast()
	return b.text.Write(p)
}

// await waits for a line whose message is msg, and returns it.
func (b *logBuffer) await(msg string) string {
	for {
		if found := b.lines(msg); len(found) > 0 {
			return found[0]
		}
		b.mu.Lock()
		if !strings.Contains(b.text.String(), `"msg":"`+msg+`"`) {
			b.written.Wait()
		}
		b.mu.Unlock()
	}
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// lines returns the lines whose message is msg.
func (b *logBuffer) lines(msg string) (found []string) {
	for line := range strings.Lines(b.String()) {
		if strings.Contains(line, `"msg":"`+msg+`"`) {
			found = append(found, line)
		}
	}
	return found
}

func newLog() (*slog.Logger, *logBuffer) {
	b := &logBuffer{}
	b.written.L = &b.mu
	return slog.New(slog.NewJSONHandler(b, nil)), b
}

// inMemory makes the server of a proxy whose upstreams are all at base. It does not listen.
func inMemory(t *testing.T, base http.RoundTripper, upstreams ...Upstream) (*server, *logBuffer) {
	t.Helper()
	if len(upstreams) == 0 {
		upstreams = []Upstream{{To: api}}
	}
	log, text := newLog()
	p, err := build(Config{Upstreams: upstreams}, log)
	require.NoError(t, err)
	for _, u := range p.upstreams {
		u.base, u.transport.Base = base, base
	}
	return p.server.Load(), text
}

// get sends a request with fields such as "Name: value" through a server, without a connection.
func get(ctx context.Context, s http.Handler, path string, fields ...string) *http.Response {
	return send(ctx, s, http.MethodGet, path, "", fields...)
}

func send(ctx context.Context, s http.Handler, method, path, content string, fields ...string) *http.Response {
	req := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(content))
	req.Host = "localhost:8429"
	for _, field := range fields {
		name, value, _ := strings.Cut(field, ": ")
		if name == "Host" {
			req.Host = value
			continue
		}
		req.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, req)
	return w.Result()
}

// textOf reads and closes the body of a response.
func textOf(t *testing.T, resp *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return string(text)
}

// pipes are connections in memory, with which a server and its clients can run in virtual time.
type pipes struct {
	offered chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

func newPipes() *pipes { return &pipes{offered: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.offered:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8429} }

// dial connects a client.
func (p *pipes) dial(ctx context.Context) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.offered <- server:
		return client, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// A session is one connection of a client that writes HTTP by hand.
type session struct {
	net.Conn

	in *bufio.Reader
}

func (p *pipes) session(t *testing.T) *session {
	t.Helper()
	conn, err := p.dial(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return &session{conn, bufio.NewReader(conn)}
}

// write writes a part of a request.
func (s *session) write(t *testing.T, text string) {
	t.Helper()
	_, err := s.Write([]byte(strings.ReplaceAll(text, "\n", "\r\n")))
	require.NoError(t, err)
}

// status reads a response and returns its status; 0 if the connection is closed before.
func (s *session) status() int {
	resp, err := http.ReadResponse(s.in, nil)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode
}

// reporting is a server with a quota that is never used up.
func reporting(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("RateLimit-Policy", `"default";q=1000000;w=3600`)
	w.Header().Set("RateLimit", `"default";r=999999;t=3600`)
}
