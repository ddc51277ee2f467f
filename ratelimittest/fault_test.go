package ratelimittest_test

import (
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

var hello = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
	_, _ = io.WriteString(w, "hello ")
	_, _ = io.WriteString(w, "world")
})

// What a client sees of each fault, and when.
func TestFaults(t *testing.T) {
	const s = time.Second
	both := http.HandlerFunc(ratelimittest.Fault{CutAfter: 5}.Wrap(hello).ServeHTTP)
	for _, tt := range []struct {
		name         string
		fault        ratelimittest.Fault
		next         http.Handler
		method       string
		status       int // 0: the connection is closed
		body         string
		err          error // of reading the body
		length       int64
		header, took time.Duration // until the header, and until the end of the body
	}{
		{"none", ratelimittest.Fault{}, hello, "GET", 200, "hello world", nil, 11, 0, 0},
		{"unavailable", ratelimittest.Fault{Status: 503, RetryAfter: 1500 * time.Millisecond}, hello, "GET", 503, "", nil, 0, 0, 0},
		{"dropped", ratelimittest.Fault{Drop: true}, hello, "GET", 0, "", nil, 0, 0, 0},
		{"cut off within a write", ratelimittest.Fault{CutAfter: 3}, hello, "GET", 200, "hel", io.ErrUnexpectedEOF, -1, 0, 0},
		{"cut off, HEAD", ratelimittest.Fault{CutAfter: -1}, hello, "HEAD", 200, "", nil, 11, 0, 0},
		{"a slow header", ratelimittest.Fault{HeaderDelay: 10 * s}, hello, "GET", 200, "hello world", nil, 11, 10 * s, 10 * s},
		{"a slow body", ratelimittest.Fault{BodyDelay: s, PieceSize: 2}, hello, "GET", 200, "hello world", nil, -1, 0, 5 * s}, // he ll o_ wo rl d
		{"all of it slow", ratelimittest.Fault{HeaderDelay: s, BodyDelay: s, PieceSize: 4}, both, "GET", 200, "hello", io.ErrUnexpectedEOF, -1, s, 2 * s},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				resp, err := (&ratelimittest.Transport{Handler: tt.fault.Wrap(tt.next)}).RoundTrip(newRequest(t, tt.method, "http://api.test/", nil))
				if tt.status == 0 {
					require.ErrorIs(t, err, io.EOF)
					return
				}
				require.NoError(t, err)
				require.Equal(t, tt.status, resp.StatusCode)
				require.Equal(t, tt.length, resp.ContentLength)
				require.Equal(t, tt.fault.RetryAfter > 0, resp.Header.Get("Retry-After") == "2")
				require.Equal(t, tt.header, time.Since(begun))
				body, err := io.ReadAll(resp.Body)
				require.Equal(t, tt.err, err)
				require.Equal(t, tt.body, string(body))
				require.NoError(t, resp.Body.Close())
				require.Equal(t, tt.took, time.Since(begun))
			})
		})
	}
}

// A slow fault ends when its client leaves.
func TestSlowFaultsEndWithTheirClient(t *testing.T) {
	for name, fault := range map[string]ratelimittest.Fault{
		"a slow header": {HeaderDelay: time.Hour}, "a slow body": {BodyDelay: time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				var returned time.Duration
				next := fault.Wrap(hello)
				client := &http.Client{Timeout: time.Minute, Transport: &ratelimittest.Transport{
					Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						next.ServeHTTP(w, r)
						returned = time.Since(begun)
					}),
				}}
				outcomes := ratelimittest.Batch{Requests: 1}.Send(client, newRequest(t, "GET", "http://api.test/", nil))
				require.Error(t, outcomes[0].Err)
				synctest.Wait()
				require.Equal(t, time.Minute, returned)
			})
		})
	}
}

// Every and When select what a Fault strikes.
func TestFaultSelects(t *testing.T) {
	isPost := func(r *http.Request) bool { return r.Method == http.MethodPost }
	for want, fault := range map[string]ratelimittest.Fault{
		"--x--x--x-": {Every: 3}, "xxxxxxxxxx": {}, "x-x-x-x-x-": {When: isPost}, "--x---x---": {When: isPost, Every: 2},
	} {
		var struck strings.Builder
		fault.Status = http.StatusTeapot
		client := &http.Client{Transport: &ratelimittest.Transport{Handler: fault.Wrap(nil)}}
		for i := range 10 {
			method := []string{http.MethodPost, http.MethodGet}[i%2]
			o := ratelimittest.Batch{Requests: 1}.Send(client, newRequest(t, method, "http://api.test/", nil))[0]
			struck.WriteString(map[int]string{http.StatusOK: "-", http.StatusTeapot: "x"}[o.Status])
		}
		require.Equal(t, want, struck.String())
	}
}

// A bare status explains nothing: the fields of the Handler in front of it are not there.
func TestFaultExplainsNothing(t *testing.T) {
	h := &ratelimittest.Handler{
		Limiter: &ratelimittest.FixedWindow{Policy: tenPerMinute}, Dialect: ratelimittest.XRateLimit,
		Next: ratelimittest.Fault{Every: 2, Status: http.StatusServiceUnavailable}.Wrap(nil),
	}
	for _, want := range []string{"9", ""} {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, newRequest(t, "GET", "/", nil))
		require.Equal(t, want, rec.Header().Get("X-RateLimit-Remaining"))
	}
}
