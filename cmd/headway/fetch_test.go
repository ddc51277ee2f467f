package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// Servers on loopback addresses are inspected by one request, or by several that are paced.
func TestInspectServer(t *testing.T) {
	hourly := func() ratelimittest.Limiter {
		return &ratelimittest.FixedWindow{Policy: ratelimittest.Per(1000, time.Hour)}
	}
	for _, row := range []struct {
		name     string
		limiter  ratelimittest.Limiter
		dialect  ratelimittest.Dialect
		flags    []string
		exit     int
		out      []string
		requests int
	}{
		{
			"a limit", hourly(), ratelimittest.Draft10, nil, exitLimits,
			[]string{"response  200 OK to GET http://127.0.0.1:", `limit     "default" in RateLimit: `, "999 of 1000 requests left, window 1h", "at once after a pause"},
			1,
		},
		{
			"several requests", hourly(), ratelimittest.Draft10,
			[]string{"-n", "3"},
			exitLimits,
			[]string{"request   1 after 0s: 200; \"default\" 999 of 1000 requests left, resets in ", "request   3 after ", "997 of 1000 requests left"},
			3,
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			server := ratelimittest.NewServer(row.limiter, row.dialect)
			defer server.Close()
			out, errs, code := session{args: slices.Concat([]string{"inspect"}, row.flags, []string{server.URL + "/things?key=s3cret"})}.run()
			require.Empty(t, errs)
			require.Equal(t, row.exit, code, out)
			for _, part := range row.out {
				require.Contains(t, out, part)
			}
			require.NotContains(t, out, "s3cret")
			require.Len(t, server.Handler.Arrivals(), row.requests)
		})
	}
}

// refuse refuses all requests for a minute.
func refuse(time.Time, string, int64) ratelimittest.Decision {
	return ratelimittest.Decision{RetryAfter: time.Minute}
}

// serve runs one fetch from a server, and returns the report in words.
func serve(t *testing.T, handler http.HandlerFunc, flags ...string) (out, errs string, code int) {
	t.Helper()
	server := httptest.NewServer(handler)
	defer server.Close()
	return session{args: append(append([]string{"inspect"}, flags...), server.URL)}.run()
}

func TestRequest(t *testing.T) {
	var got *http.Request
	_, errs, _ := serve(t, func(_ http.ResponseWriter, r *http.Request) { got = r },
		"-X", "PUT", "-H", "Authorization: Bearer s3cret", "-H", "X-Many: a", "-H", "X-Many: b", "-H", "Host: api.example.com")
	require.Empty(t, errs)
	require.Equal(t, "PUT", got.Method)
	require.Equal(t, "Bearer s3cret", got.Header.Get("Authorization"))
	require.Equal(t, []string{"a", "b"}, got.Header.Values("X-Many"))
	require.Equal(t, "api.example.com", got.Host)
	require.Equal(t, "headway-inspect", got.Header.Get("User-Agent"))
}

// The fields that the user sets go to the same origin only. The query of a URL goes to no target of a redirect: net/http would
// send it as Referer.
func TestRedirects(t *testing.T) {
	var elsewhere http.Header
	foreign := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		elsewhere = r.Header
		w.Header().Set("RateLimit", `"far";r=9;t=9`)
	}))
	defer foreign.Close()
	var near http.Header
	out, errs, code := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("RateLimit", `"near";r=9;t=9`)
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/second?key=s3cret", http.StatusMovedPermanently)
			return
		}
		near = r.Header
		http.Redirect(w, r, foreign.URL, http.StatusFound)
	}, "-H", "X-Api-Key: s3cret", "-H", "Referer: https://own.example/")
	require.Empty(t, errs)
	require.Equal(t, exitLimits, code)
	require.Contains(t, out, "earlier   301 Moved Permanently from http://127.0.0.1:")
	require.Contains(t, out, "earlier   302 Found from http://127.0.0.1:")
	require.Contains(t, out, "/second\n")
	require.Contains(t, out, "200 OK to GET "+foreign.URL)
	require.Contains(t, out, `"far"`)
	require.NotContains(t, out, `"near"`)
	require.NotContains(t, out, "s3cret")
	require.Equal(t, "s3cret", near.Get("X-Api-Key"), "the same origin gets it")
	require.Equal(t, "https://own.example/", near.Get("Referer"))
	require.Empty(t, elsewhere.Get("X-Api-Key"), "another one does not")
	require.Empty(t, elsewhere.Get("Referer"))

	asked := 0
	_, errs, code = serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked++
		if text := r.Header.Get("Referer"); text != "" {
			t.Error(text)
		}
		http.Redirect(w, r, "/?key=s3cret", http.StatusFound)
	})
	require.Equal(t, 10, asked)
	require.Equal(t, exitFailed, code)
	require.Equal(t, "headway inspect: stopped after 10 redirects\n", errs)
}

// TestFailedRequests shows that an error gives the reason, and nothing secret.
func TestFailedRequests(t *testing.T) {
	answer := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_, _ = io.WriteString(conn, text)
				_ = conn.Close()
			}
		}
	}
	rows := []struct{ name, answer, err string }{
		{"no HTTP", "\x1b[31ms3cret\r\n\r\n", "malformed HTTP response"},
		{"no Location", "HTTP/1.1 302 Found\r\nLocation: http://[s3cret\r\n\r\n", "failed to parse Location header"},
		{"endless head", "HTTP/1.1 200 OK\r\nA: " + strings.Repeat("s3cret", maxHead), "exceeded 1048576 bytes"},
	}
	for _, x := range rows {
		t.Run(x.name, func(t *testing.T) {
			out, errs, code := serve(t, answer(x.answer))
			require.Equal(t, exitFailed, code)
			require.Empty(t, out)
			require.Contains(t, errs, x.err)
			require.NotContains(t, errs, "s3cret")
			requireTame(t, errs)
		})
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	_, errs, code := session{args: []string{"inspect", "http://user:s3cret@" + listener.Addr().String() + "/?s3cret"}}.run()
	require.Equal(t, exitFailed, code)
	require.Contains(t, errs, "connection refused")
	require.NotContains(t, errs, "s3cret")
}

// fetchFrom fetches through base, which may run in virtual time.
func fetchFrom(t *testing.T, base http.RoundTripper, flags ...string) (*exchange, error) {
	t.Helper()
	o, err := parseOptions(append(flags, "http://api.example.com/"))
	require.NoError(t, err)
	return newFetcher(o, base, time.Now).fetch(t.Context())
}

func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		_, err := fetchFrom(t, baseFunc(func(req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, context.Cause(req.Context())
		}), "-timeout", "7s")
		require.EqualError(t, err, "no response within 7s")
		require.Equal(t, 7*time.Second, time.Since(begun))
	})
}

// A stuckBody blocks until it is closed.
type stuckBody struct{ closed chan struct{} }

func (b stuckBody) Read([]byte) (int, error) {
	<-b.closed
	return 0, errors.New("closed")
}

func (b stuckBody) Close() error {
	select {
	case <-b.closed:
	default:
		close(b.closed)
	}
	return nil
}

// TestBodies shows how much of a body is read, and for how long.
func TestBodies(t *testing.T) {
	const problem = "application/problem+json"
	rows := []struct {
		name, contentType string
		length            int64
		body              func() io.ReadCloser
		took              time.Duration
		read              int
	}{
		{"a problem", problem, 2, func() io.ReadCloser { return io.NopCloser(strings.NewReader("{}")) }, 0, 2},
		{"an endless problem", problem, -1, func() io.ReadCloser { return io.NopCloser(endless{"x"}) }, 0, 64 << 10},
		{"a problem that hangs", problem, -1, func() io.ReadCloser { return stuckBody{make(chan struct{})} }, bodyTime + 250*time.Millisecond, 0},
		{"anything else", "text/html", -1, func() io.ReadCloser { return stuckBody{make(chan struct{})} }, 0, 0},
		{"anything short", "text/html", 3, func() io.ReadCloser { return stuckBody{make(chan struct{})} }, bodyTime, 0},
	}
	for _, x := range rows {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				got, err := fetchFrom(t, baseFunc(func(req *http.Request) (*http.Response, error) {
					return &http.Response{
						StatusCode: 429, Header: http.Header{"Content-Type": {x.contentType}},
						Body: x.body(), ContentLength: x.length, Request: req,
					}, nil
				}))
				require.NoError(t, err)
				require.Equal(t, x.took, time.Since(begun))
				require.Len(t, got.body, x.read)
			})
		})
	}
}

// TestSeveralRequests runs -n in virtual time.
func TestSeveralRequests(t *testing.T) {
	rows := []struct {
		name    string
		limiter ratelimittest.Limiter
		flags   []string
		answers int
		least   time.Duration // the least time that it takes
		note    string        // the beginning of the note
		failed  bool
	}{
		{"paced", &ratelimittest.FixedWindow{Policy: ratelimittest.Per(10, 10*time.Second)}, []string{"-n", "30", "-timeout", "1m"}, 30, 19 * time.Second, "", false},
		{
			"no time to wait", &ratelimittest.FixedWindow{Policy: ratelimittest.Per(4, time.Hour)},
			[]string{"-n", "10"},
			3, 0,
			"request 4 was not sent: it would wait ", false,
		},
		{"refused", ratelimittest.LimiterFunc(refuse), []string{"-n", "10"}, 1, 0, "request 2 was not sent: it would wait 1m", false},
	}
	for _, x := range rows {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				network := &ratelimittest.Transport{Handler: &ratelimittest.Handler{Limiter: x.limiter, Dialect: ratelimittest.Draft10}}
				got, err := fetchFrom(t, network, x.flags...)
				require.NoError(t, err)
				require.Len(t, got.steps, x.answers)
				require.Equal(t, x.note == "", len(got.notes) == 0)
				if x.note != "" {
					require.Contains(t, got.notes[0], x.note)
				}
				require.Equal(t, x.failed, got.failed)
				if x.answers > 0 {
					last := got.steps[x.answers-1]
					require.GreaterOrEqual(t, last.after, x.least)
					require.Equal(t, got.status, last.status)
				}
			})
		})
	}
}

// TestLaterFailure shows that a later failure does not hide earlier responses.
func TestLaterFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		got, err := fetchFrom(t, baseFunc(func(req *http.Request) (*http.Response, error) {
			if n++; n == 3 {
				return nil, errors.New(`broken "s3cret"`)
			}
			x := respond(http.StatusOK, `RateLimit: "a";r=50;t=5`, `RateLimit-Policy: "a";q=100;w=10`)
			return x.response(), nil
		}), "-n", "5")
		require.NoError(t, err)
		require.Equal(t, []string{`request 3 failed: broken "…"`}, got.notes)
		r := newReport(got, time.Now)
		require.Equal(t, exitFailed, r.ExitCode)
		require.Len(t, r.Moves, 2)
		require.Len(t, r.Limits, 1)
	})
}
