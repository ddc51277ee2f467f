package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// serve inspects a server on a loopback address.
func serve(t *testing.T, handler http.Handler, flags ...string) (out, errs string, code int) {
	t.Helper()
	server := httptest.NewServer(handler)
	defer server.Close()
	return session{args: append(append([]string{"inspect"}, flags...), server.URL+"/things?key=s3cret")}.run()
}

func TestInspectServer(t *testing.T) {
	h := &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(1000, time.Hour)}}
	out, errs, code := serve(t, h)
	require.Empty(t, errs)
	require.Equal(t, exitLimits, code, out)
	require.Contains(t, out, "response  200 OK to GET http://127.0.0.1:")
	require.Contains(t, out, `limit     "default" in RateLimit: 999 of 1000 requests left, window 1h, resets in `)
	require.NotContains(t, out, "s3cret")
	require.Len(t, h.Arrivals(), 1)
}

func TestRequest(t *testing.T) {
	var got *http.Request
	_, errs, _ := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r }),
		"-X", "PUT", "-H", "Authorization: Bearer s3cret", "-H", "X-Many: a", "-H", "X-Many: b", "-H", "Host: api.example.com")
	require.Empty(t, errs)
	require.Equal(t, "PUT", got.Method)
	require.Equal(t, "Bearer s3cret", got.Header.Get("Authorization"))
	require.Equal(t, []string{"a", "b"}, got.Header.Values("X-Many"))
	require.Equal(t, "api.example.com", got.Host)
	require.Equal(t, "headway", got.Header.Get("User-Agent"))
}

// What the user sends goes to the URL alone.
func TestNoRedirect(t *testing.T) {
	foreign := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another host was asked") }))
	defer foreign.Close()
	out, errs, code := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("RateLimit", `"near";r=9;t=9`)
		http.Redirect(w, r, foreign.URL+"/?s3cret", http.StatusFound)
	}), "-H", "X-Api-Key: s3cret")
	require.Empty(t, errs)
	require.Equal(t, exitLimits, code)
	require.Contains(t, out, "response  302 Found to GET ")
	require.Contains(t, out, `"near"`)
	require.Contains(t, out, "note      this is a redirect, which was not followed: inspect its target")
	require.NotContains(t, out, "s3cret")
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
	for _, row := range []struct{ name, answer, err string }{
		{"no HTTP", "\x1b[31ms3cret\r\n\r\n", "malformed HTTP response"},
		{"a malformed head", "HTTP/1.1 200 OK\r\ns3cret\r\n\r\n", "the response's head is malformed"},
		{"no Location", "HTTP/1.1 302 Found\r\nLocation: http://[s3cret\r\n\r\n", "failed to parse Location header"},
		{"endless head", "HTTP/1.1 200 OK\r\nA: " + strings.Repeat("s3cret", mostHead), "exceeded 65536 bytes"},
		{"nothing", "", "EOF"},
	} {
		t.Run(row.name, func(t *testing.T) {
			out, errs, code := serve(t, answer(row.answer))
			require.Equal(t, exitFailed, code)
			require.Empty(t, out)
			require.Contains(t, errs, row.err)
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

// TestBodies shows how much of a body is read, and for how long.
func TestBodies(t *testing.T) {
	const problem = "application/problem+json"
	for _, row := range []struct {
		name, contentType string
		body              string
		isStuck           bool
		took              time.Duration
		read              int
	}{
		{"a problem", problem, "{}", false, 0, 2},
		{"an endless problem", problem, strings.Repeat("x", 1<<20), true, 0, 64 << 10},
		{"a problem that hangs", problem, "{", true, 7 * time.Second, 1},
		{"anything else", "text/html", "x", true, 0, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := &ratelimittest.Transport{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Type", row.contentType)
					w.WriteHeader(http.StatusTooManyRequests)
					_, _ = io.WriteString(w, row.body)
					if _ = http.NewResponseController(w).Flush(); row.isStuck {
						<-r.Context().Done()
					}
				})}
				begun := time.Now()
				o := &options{timeout: 7 * time.Second, header: http.Header{}}
				x, err := o.fetch(base, &url.URL{Scheme: "http", Host: "api.example.com"}, nil, time.Now)
				require.NoError(t, err)
				require.Equal(t, row.took, time.Since(begun))
				require.Len(t, x.body, row.read)
			})
		})
	}
}

func TestTimeout(t *testing.T) {
	_, errs, code := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }), "-timeout", "10ms")
	require.Equal(t, exitFailed, code)
	require.Equal(t, "headway inspect: no response within 10ms\n", errs)
}
