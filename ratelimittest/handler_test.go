package ratelimittest_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

func TestHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(2, time.Minute)}, Dialect: ratelimittest.Trio}
		h.Next = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
		client := &http.Client{Transport: &ratelimittest.Transport{Handler: h}}

		want := []struct {
			status                       int
			remaining, reset, retryAfter string
		}{
			{http.StatusTeapot, "1", "60", ""},
			{http.StatusTeapot, "0", "59", ""},
			{http.StatusTooManyRequests, "0", "58", "58"},
		}
		for i, want := range want {
			resp, err := client.Post("http://api.test/a/b", "text/plain", strings.NewReader("x"))
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
			require.Equal(t, want.status, resp.StatusCode)
			require.Equal(t, want.remaining, resp.Header.Get("RateLimit-Remaining"))
			require.Equal(t, want.reset, resp.Header.Get("RateLimit-Reset"))
			require.Equal(t, want.retryAfter, resp.Header.Get("Retry-After"))
			require.Equal(t, ratelimittest.Arrival{
				Time: time.Now(), Client: "192.0.2.1", RemoteAddr: "192.0.2.1:1234",
				Method: "POST", Path: "/a/b", Cost: 1, Allowed: i < 2, Status: want.status,
			}, h.Arrivals()[i])
			time.Sleep(time.Second)
		}
		require.Len(t, h.Arrivals(), 3)
		h.Reset()
		require.Empty(t, h.Arrivals())
	})
}

func TestHandlerZeroValueLimitsNothing(t *testing.T) {
	var h ratelimittest.Handler
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest("GET", "/", nil))
	require.Equal(t, http.StatusOK, rec.Code)
	require.Empty(t, rec.Header())
	require.True(t, h.Arrivals()[0].Allowed)
	require.Equal(t, http.StatusOK, h.Arrivals()[0].Status)
}

func TestHandlerFields(t *testing.T) {
	h := &ratelimittest.Handler{Limiter: &ratelimittest.Linear{Policy: ratelimittest.Per(10, time.Hour)}}
	h.RetryAfter = ratelimittest.Silent
	h.Client = func(r *http.Request) string { return r.Header.Get("X-Tenant") }
	h.Cost = func(r *http.Request) int64 { return r.ContentLength }

	send := func(tenant, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("POST", "/", strings.NewReader(body))
		r.Header.Set("X-Tenant", tenant)
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		return rec
	}
	require.Equal(t, `"default";r=4;t=1440`, send("a", "sixsix").Header().Get("RateLimit"))
	require.Equal(t, `"default";r=9;t=3240`, send("b", "1").Header().Get("RateLimit"))

	refused := send("a", "sixsix")
	require.Equal(t, http.StatusTooManyRequests, refused.Code)
	require.NotContains(t, refused.Header(), "Retry-After")
}

func TestClientOf(t *testing.T) {
	tests := []struct {
		name, auth, addr, want string
	}{
		{"credential", "Bearer one", "192.0.2.1:1234", "Bearer one"},
		{"address without its port", "", "192.0.2.1:1234", "192.0.2.1"},
		{"IPv6", "", "[2001:db8::1]:80", "2001:db8::1"},
		{"no port", "", "@", "@"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest("GET", "/", nil)
			r.RemoteAddr = tt.addr
			if tt.auth != "" {
				r.Header.Set("Authorization", tt.auth)
			}
			require.Equal(t, tt.want, ratelimittest.ClientOf(r))
		})
	}
}

func TestServer(t *testing.T) {
	srv := ratelimittest.NewServer(&ratelimittest.Linear{Policy: ratelimittest.Per(2, time.Hour)}, delta)
	defer srv.Close()

	statuses := make([]int, 3)
	var last *http.Response
	for i := range statuses {
		resp, err := srv.Client().Get(srv.URL + "/path")
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		statuses[i], last = resp.StatusCode, resp
	}
	require.Equal(t, []int{200, 200, 429}, statuses)
	require.Equal(t, "2", last.Header.Get("X-RateLimit-Limit"))
	require.Equal(t, "0", last.Header.Get("X-RateLimit-Remaining"))
	require.NotEmpty(t, last.Header.Get("X-RateLimit-Reset"))
	require.NotEmpty(t, last.Header.Get("Retry-After"))
	require.NotEmpty(t, last.Header.Get("Date"))

	arrivals := srv.Handler.Arrivals()
	require.Len(t, arrivals, 3)
	require.Equal(t, "127.0.0.1", arrivals[0].Client)
	require.Equal(t, "/path", arrivals[0].Path)
}

// Behind a Handler, Next can flush and hijack as it can without one.
func TestHandlerForwardsFlushAndHijack(t *testing.T) {
	h := &ratelimittest.Handler{Limiter: nil}
	served := make(chan struct{}, 2)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r)
		served <- struct{}{}
	}))
	defer srv.Close()
	h.Next = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/flush" {
			w.(http.Flusher).Flush()
			_, _ = io.WriteString(w, "flushed")
			return
		}
		conn, buf, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer conn.Close() //nolint:errcheck // the test reads what was sent before
		_, _ = buf.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nhello\n")
		_ = buf.Flush()
	})

	resp, err := srv.Client().Get(srv.URL + "/flush")
	require.NoError(t, err)
	require.Equal(t, []string{"chunked"}, resp.TransferEncoding)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, "flushed", string(body))

	req := newRequest(t, "GET", srv.URL+"/upgrade", nil)
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "echo")
	resp, err = srv.Client().Do(req)
	require.NoError(t, err)
	require.Equal(t, http.StatusSwitchingProtocols, resp.StatusCode)
	line, err := bufio.NewReader(resp.Body).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "hello\n", line)
	require.NoError(t, resp.Body.Close())

	<-served
	<-served
	require.Equal(t, http.StatusOK, h.Arrivals()[0].Status)
	require.Equal(t, http.StatusSwitchingProtocols, h.Arrivals()[1].Status)
}

// A releaseCounter allows every other request and records the calls of Release.
type releaseCounter struct {
	taken    int
	released []string
}

func (c *releaseCounter) Take(time.Time, string, int64) ratelimittest.Decision {
	c.taken++
	return ratelimittest.Decision{Allowed: c.taken%2 == 1}
}

func (c *releaseCounter) Release(now time.Time, client string, cost int64) {
	c.released = append(c.released, fmt.Sprint(client, " ", cost, " at ", now.UTC().Format("05")))
}

// A Handler calls Release once for each allowed request, when its handler is done, with the arguments of
// Take.
func TestHandlerReleases(t *testing.T) {
	seconds := func(n int) http.HandlerFunc {
		return func(http.ResponseWriter, *http.Request) { time.Sleep(time.Duration(n) * time.Second) }
	}
	aborts := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	tests := []struct {
		name    string
		limiter func(c *releaseCounter) ratelimittest.Limiter
		next    http.Handler
		dialect ratelimittest.Dialect
		want    []string // for an allowed and a refused request
	}{
		{"the limiter", alone, seconds(3), nil, []string{"192.0.2.1 7 at 03"}},
		{"no handler", alone, nil, nil, []string{"192.0.2.1 7 at 00"}},
		{"a handler that has sent its header", alone, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			flush(w)
			seconds(3)(w, r)
		}), nil, []string{"192.0.2.1 7 at 03"}},
		{"a handler that panics", alone, aborts, nil, []string{"192.0.2.1 7 at 00"}},
		{"a dialect that panics", alone, nil, func(http.Header, time.Time, ratelimittest.Decision) { panic(http.ErrAbortHandler) }, []string{"192.0.2.1 7 at 00"}},
		{"one of several parts", func(c *releaseCounter) ratelimittest.Limiter {
			return ratelimittest.All(&ratelimittest.Linear{Policy: ratelimittest.Per(100, time.Minute)}, c)
		}, seconds(1), nil, []string{"192.0.2.1 7 at 01"}},
		{"a limiter that has no Release", func(*releaseCounter) ratelimittest.Limiter {
			return &ratelimittest.Linear{Policy: ratelimittest.Per(100, time.Minute)}
		}, nil, nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := new(releaseCounter)
				h := &ratelimittest.Handler{Limiter: tt.limiter(c), Dialect: tt.dialect, Next: tt.next}
				h.Cost = func(*http.Request) int64 { return 7 }
				ratelimittest.Batch{Requests: 2}.Send(&http.Client{Transport: &ratelimittest.Transport{Handler: h}}, newRequest(t, "GET", "http://api.test/", nil))
				require.Equal(t, tt.want, c.released)
			})
		})
	}
}

func alone(c *releaseCounter) ratelimittest.Limiter { return c }

func TestHandlerRefuse(t *testing.T) {
	tests := []struct {
		name   string
		refuse http.Handler
		status int
		body   string
	}{
		{"nil", nil, http.StatusTooManyRequests, "rate limit reached\n"},
		{"another status", ratelimittest.Respond(http.StatusServiceUnavailable, "rate limit reached"), http.StatusServiceUnavailable, "rate limit reached"},
		{"a handler of its own", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, w.Header().Get("Retry-After"))
		}), http.StatusForbidden, "60"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(1, time.Minute)}}
				h.Refuse = tt.refuse
				for i, status := range []int{http.StatusOK, tt.status} {
					rec := httptest.NewRecorder()
					h.ServeHTTP(rec, httptest.NewRequest("GET", "/", nil))
					require.Equal(t, status, rec.Code)
					require.Equal(t, status, h.Arrivals()[i].Status)
					require.Equal(t, `"default";r=0;t=60`, rec.Header().Get("RateLimit"))
					if i == 1 {
						require.Equal(t, "60", rec.Header().Get("Retry-After"))
						require.Equal(t, tt.body, rec.Body.String())
					}
				}
			})
		})
	}
}

// A Handler reads the clock after Cost, which may wait for slow content.
func TestHandlerReadsTheClockAfterTheCost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: tenPerMinute, Aligned: true}}
		h.Cost = func(*http.Request) int64 {
			time.Sleep(20 * time.Second)
			return 1
		}
		resp, err := (&ratelimittest.Transport{Handler: h}).RoundTrip(newRequest(t, "GET", "http://api.test/", nil))
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, `"default";r=9;t=40`, resp.Header.Get("RateLimit"))
		require.Equal(t, time.Now(), h.Arrivals()[0].Time)
	})
}
