package ratelimittest_test

import (
	"bufio"
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
		h := ratelimittest.NewHandler(ratelimittest.NewFixedWindow(2, time.Minute), ratelimittest.Trio)
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
			}, h.Log.Arrivals()[i])
			time.Sleep(time.Second)
		}
		require.Equal(t, 2, h.Log.Allowed())
		require.Equal(t, 1, h.Log.Refused())
		h.Log.Reset()
		require.Empty(t, h.Log.Arrivals())
	})
}

func TestHandlerZeroValueLimitsNothing(t *testing.T) {
	var h ratelimittest.Handler
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest("GET", "/", nil))
	require.Equal(t, http.StatusOK, rec.Code)
	require.Empty(t, rec.Header())
	require.Equal(t, 1, h.Log.Allowed())
	require.Equal(t, http.StatusOK, h.Log.Arrivals()[0].Status)
}

func TestHandlerFields(t *testing.T) {
	h := ratelimittest.NewHandler(ratelimittest.NewLinear(10, time.Hour), nil)
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
	srv := ratelimittest.NewServer(ratelimittest.NewLinear(2, time.Hour), ratelimittest.XRateLimitDelta)
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

	arrivals := srv.Handler.Log.Arrivals()
	require.Len(t, arrivals, 3)
	require.Equal(t, "127.0.0.1", arrivals[0].Client)
	require.Equal(t, "/path", arrivals[0].Path)
}

// What a served handler can do with its http.ResponseWriter, it can do behind a
// Handler.
func TestHandlerLeavesTheConnectionToNext(t *testing.T) {
	h := ratelimittest.NewHandler(nil, nil)
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
		defer conn.Close() //nolint:errcheck // the test reads what came before
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
	require.Equal(t, http.StatusOK, h.Log.Arrivals()[0].Status)
	require.Equal(t, http.StatusSwitchingProtocols, h.Log.Arrivals()[1].Status)
}
