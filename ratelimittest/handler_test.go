package ratelimittest_test

import (
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
	alone := func(c *releaseCounter) ratelimittest.Limiter { return c }
	for _, tt := range []struct {
		name    string
		limiter func(c *releaseCounter) ratelimittest.Limiter
		next    http.Handler
		dialect ratelimittest.Dialect
		want    []string // for an allowed and a refused request
	}{
		{"a handler that has sent its header", alone, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			seconds(3)(w, r)
		}), nil, []string{"192.0.2.1 7 at 03"}},
		{"a handler that panics", alone, aborts, nil, []string{"192.0.2.1 7 at 00"}},
		{"a dialect that panics", alone, nil, func(http.Header, time.Time, ratelimittest.Decision) { panic(http.ErrAbortHandler) }, []string{"192.0.2.1 7 at 00"}},
	} {
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

// After the two requests of a window, three refusals in a row make a ban.
func TestHandlerRefuse(t *testing.T) {
	forbidden := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, w.Header().Get("Retry-After"))
	})
	unavailable := ratelimittest.Respond(http.StatusServiceUnavailable, "rate limit reached")
	for _, tt := range []struct {
		name           string
		refuse, banned http.Handler
		statuses       []int
		body           string // of the first refusal
	}{
		{"nil", nil, nil, []int{200, 200, 429, 429, 429}, "rate limit reached\n"},
		{"a handler of its own", forbidden, nil, []int{200, 200, 403, 403, 403}, "60"},
		{"a handler for bans", unavailable, forbidden, []int{200, 200, 503, 503, 403}, "rate limit reached"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &ratelimittest.Handler{Limiter: ratelimittest.Ban(&ratelimittest.FixedWindow{Policy: twoPerMinute}, 2, 0)}
				h.Refuse, h.Banned = tt.refuse, tt.banned
				for i, status := range tt.statuses {
					rec := httptest.NewRecorder()
					h.ServeHTTP(rec, httptest.NewRequest("GET", "/", nil))
					require.Equal(t, status, rec.Code)
					require.Equal(t, status, h.Arrivals()[i].Status)
					require.NotEmpty(t, rec.Header().Get("RateLimit"))
					require.Equal(t, i >= 2, rec.Header().Get("Retry-After") == "60")
					if i == 2 {
						require.Equal(t, tt.body, rec.Body.String())
					}
				}
			})
		})
	}
}
