package ratelimittest_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

func TestBytesOf(t *testing.T) {
	broken := errors.New("broken off")
	tests := []struct {
		name string
		body io.Reader
		want int64
		err  error // the error at the end of the content
	}{
		{"no content", nil, 0, nil},
		{"http.NoBody", http.NoBody, 0, nil},
		{"a Content-Length", strings.NewReader("12345"), 5, nil},
		{"unknown length", io.MultiReader(strings.NewReader("12345")), 5, nil},
		{"unknown length, no content", io.MultiReader(), 0, nil},
		{"broken off", io.MultiReader(strings.NewReader("123"), iotest.ErrReader(broken)), 3, broken},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest("POST", "/", tt.body)
			want := r.ContentLength
			for range 2 { // a second Handler may call BytesOf, too
				require.Equal(t, tt.want, ratelimittest.BytesOf(r))
			}
			require.Equal(t, want, r.ContentLength)
			content, err := io.ReadAll(r.Body)
			require.Equal(t, tt.err, err)
			require.Len(t, content, int(tt.want))
			require.NoError(t, r.Body.Close())
		})
	}
}

func TestBytesOfClosesTheBody(t *testing.T) {
	body := &closeCounter{Reader: strings.NewReader("12345")}
	r := httptest.NewRequest("POST", "/", body)
	ratelimittest.BytesOf(r)
	require.Zero(t, body.closed)
	require.NoError(t, r.Body.Close())
	require.Equal(t, 1, body.closed)
}

// perUser is the quota in bytes of draft-ietf-httpapi-ratelimit-headers-10 §3.2.
func perUser() *ratelimittest.FixedWindow {
	return &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{
		Name: "peruser", Quota: 65535, Window: 10 * time.Second, Unit: ratelimittest.UnitContentBytes,
	}}
}

// The outer Handler limits requests, the inner one bytes, and a response reports both limits.
func TestTwoHandlersInARow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sizes := &ratelimittest.Handler{Limiter: perUser(), Cost: ratelimittest.BytesOf}
		var served int64
		sizes.Next = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			n, _ := io.Copy(io.Discard, r.Body)
			served += n
		})
		requests := ratelimittest.NewHandler(ratelimittest.NewFixedWindow(4, time.Minute), nil)
		requests.Next = sizes
		server := &ratelimittest.Transport{Handler: requests}

		for _, step := range []struct {
			name       string
			bytes      int
			known      bool // whether the request has a Content-Length
			status     int
			limits     string
			retryAfter string
		}{
			{"no content is free", 0, true, 200, `"default";r=3;t=60, "peruser";r=65535;t=10`, ""},
			{"65000 bytes", 65000, true, 200, `"default";r=2;t=59, "peruser";r=535;t=10`, ""},
			{"536 more, in chunks", 536, false, 429, `"default";r=1;t=58, "peruser";r=535;t=9`, "9"},
			{"535 more, in chunks", 535, false, 200, `"default";r=0;t=57, "peruser";r=0;t=8`, ""},
			{"refused before its bytes are counted", 1, true, 429, `"default";r=0;t=56`, "56"},
		} {
			var body io.Reader = strings.NewReader(strings.Repeat("x", step.bytes))
			if !step.known {
				body = io.MultiReader(body)
			}
			resp, err := roundTrip(t, server, newRequest(t, "POST", "http://api.test/", body))
			require.NoError(t, err)
			require.Equal(t, step.status, resp.StatusCode, step.name)
			require.Equal(t, step.limits, strings.Join(resp.Header.Values("RateLimit"), ", "), step.name)
			require.Equal(t, step.retryAfter, resp.Header.Get("Retry-After"), step.name)
			if policies := strings.Join(resp.Header.Values("RateLimit-Policy"), ", "); step.status == 200 {
				require.Equal(t, `"default";q=4;w=60, "peruser";q=65535;w=10;qu="content-bytes"`, policies)
			}
			time.Sleep(time.Second)
		}
		require.EqualValues(t, 65535, served)
		require.Len(t, requests.Log.Arrivals().Refused(), 1)
		require.Len(t, sizes.Log.Arrivals().Refused(), 1)
	})
}

// Over real HTTP the handler reads the chunked content that BytesOf has counted.
func TestBytesOfOverRealHTTP(t *testing.T) {
	srv := ratelimittest.NewServer(perUser(), nil)
	defer srv.Close()
	srv.Handler.Cost = ratelimittest.BytesOf
	srv.Handler.Next = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })

	req := newRequest(t, "POST", srv.URL, io.MultiReader(strings.NewReader("12345"))) // MultiReader hides the length
	resp, err := roundTrip(t, srv.Client().Transport, req)
	require.NoError(t, err)
	require.Equal(t, `"peruser";r=65530;t=10`, resp.Header.Get("RateLimit"))
	require.Equal(t, "12345", resp.body)
	require.EqualValues(t, 5, srv.Handler.Log.Arrivals()[0].Cost)
}
