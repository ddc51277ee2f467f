package services

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/ratelimittest"
)

// The tests in this file are about real connections. No limit is reached, so no time passes.

// dial starts a server and returns a Transport that reaches it.
func dial(t *testing.T, isHTTP2 bool, handler http.Handler) (transport *headway.Transport, url string) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2 = isHTTP2
	server.StartTLS()
	t.Cleanup(server.Close)
	return &headway.Transport{Base: server.Client().Transport}, server.URL
}

// get makes a request and returns the response and its body, read to the end.
func get(t *testing.T, transport *headway.Transport, method, url string) (*http.Response, string) {
	t.Helper()
	req := kit.NewRequest(t, url)
	req.Method = method
	resp, err := transport.RoundTrip(req)
	require.NoError(t, err)
	return resp, kit.ReadAll(t, resp)
}

// known returns the limits that the Transport knows.
func known(transport *headway.Transport) []headway.LimitState { return transport.State()[0].Limits }

func TestOverTheWire(t *testing.T) {
	unannounced := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		ratelimittest.Dialect(ratelimittest.Draft10).InTrailer()(w.Header(), time.Now(), ratelimittest.Decision{Limits: []ratelimittest.Limit{
			{Policy: "default", Quota: 1_000_000, Window: time.Minute, Remaining: 999_999, Reset: time.Minute},
		}})
		_, _ = io.WriteString(w, "text")
	})
	var packed bytes.Buffer
	packer := gzip.NewWriter(&packed)
	_, _ = io.WriteString(packer, "text")
	require.NoError(t, packer.Close())
	gzipped := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set(http.TrailerPrefix+"RateLimit", `"default";r=999999;t=60`)
		_, _ = w.Write(packed.Bytes())
	})
	for _, version := range []struct {
		name    string
		isHTTP2 bool
	}{{"HTTP/1.1", false}, {"HTTP/2.0", true}} {
		for _, test := range []struct {
			name    string
			handler http.Handler
			body    string
		}{
			{"not announced", unannounced, "text"},
			{"announced", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Trailer", "X-RateLimit-Remaining, X-RateLimit-Limit, X-RateLimit-Reset, Checksum")
				_, _ = io.WriteString(w, "text")
				w.Header().Set("X-RateLimit-Limit", "1000000")
				w.Header().Set("X-RateLimit-Remaining", "999999")
				w.Header().Set("X-RateLimit-Reset", "60")
				w.Header().Set("Checksum", "abc")
			}), "text"},
			{"as gRPC does", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/grpc")
				w.Header().Set("Trailer", "Grpc-Status")
				_, _ = w.Write([]byte("\x00\x00\x00\x00\x02\x08\x01"))
				w.Header().Set("Grpc-Status", "0")
				w.Header().Set(http.TrailerPrefix+"X-Ratelimit-Limit", "1000000")
				w.Header().Set(http.TrailerPrefix+"X-Ratelimit-Remaining", "999999")
				w.Header().Set(http.TrailerPrefix+"X-Ratelimit-Reset", "60")
				_ = http.NewResponseController(w).Flush()
			}), "\x00\x00\x00\x00\x02\x08\x01"},
			{"after no body, as gRPC does for an error", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/grpc")
				w.Header().Set(http.TrailerPrefix+"Grpc-Status", "8")
				w.Header().Set(http.TrailerPrefix+"RateLimit", `"default";r=999999;t=60`)
				w.Header().Set(http.TrailerPrefix+"RateLimit-Policy", `"default";q=1000000;w=60`)
				_ = http.NewResponseController(w).Flush()
			}), ""},
			{"trailers only, which is a header", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/grpc")
				w.Header().Set("Grpc-Status", "8")
				w.Header().Set("RateLimit", `"default";r=999999;t=60`)
				w.Header().Set("RateLimit-Policy", `"default";q=1000000;w=60`)
			}), ""},
			{"compressed", gzipped, "text"},
		} {
			t.Run(version.name+", "+test.name, func(t *testing.T) {
				transport, url := dial(t, version.isHTTP2, test.handler)
				resp, body := get(t, transport, http.MethodGet, url)
				require.Equal(t, version.name, resp.Proto)
				require.Equal(t, test.body, body)
				limits := known(transport)
				require.Len(t, limits, 1)
				require.EqualValues(t, 999999, limits[0].Remaining)
				again, _ := get(t, transport, http.MethodGet, url)
				require.Equal(t, resp.Trailer, again.Trailer, "the caller has it, too")
			})
		}
	}
}

// Without a trailer, a body that could have had one is as it was.
func TestNoTrailer(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		for _, isHTTP2 := range []bool{false, true} {
			transport, url := dial(t, isHTTP2, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, "one ")
				_ = http.NewResponseController(w).Flush()
				_, _ = io.WriteString(w, "two")
			}))
			resp, body := get(t, transport, method, url)
			require.Empty(t, resp.Trailer)
			require.Equal(t, map[string]string{http.MethodGet: "one two", http.MethodHead: ""}[method], body)
			require.Empty(t, known(transport))
		}
	}
}

// A trailer that the caller does not wait for is not read.
func TestClosedEarly(t *testing.T) {
	for _, isHTTP2 := range []bool{false, true} {
		done := make(chan struct{})
		transport, url := dial(t, isHTTP2, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(http.TrailerPrefix+"RateLimit", `"default";r=0;t=60`)
			_, _ = io.WriteString(w, "text")
			_ = http.NewResponseController(w).Flush()
			<-done
		}))
		resp, err := kit.Get(t.Context(), transport, url)
		require.NoError(t, err)
		_, err = io.ReadFull(resp.Body, make([]byte, 4))
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		close(done)
		require.Empty(t, known(transport))
	}
}

// A connection that breaks before the trailer says nothing, and what the response's header said stays.
func TestBrokenOff(t *testing.T) {
	transport, url := dial(t, false, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("RateLimit", `"default";r=999999;t=60`)
		w.Header().Set("Trailer", "RateLimit")
		_, _ = io.WriteString(w, "text")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}))
	resp, err := kit.Get(t.Context(), transport, url)
	require.NoError(t, err)
	_, err = io.ReadAll(resp.Body)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.NoError(t, resp.Body.Close())
	require.Len(t, known(transport), 1)
	require.EqualValues(t, 999999, known(transport)[0].Remaining)
}

// The place of a limit on concurrent requests is free once the trailer was read.
func TestConcurrentRequests(t *testing.T) {
	transport, url := dial(t, true, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("RateLimit-Policy", `"c";q=1;qu="concurrent-requests"`)
		w.Header().Set("RateLimit", `"c";r=0`)
		w.Header().Set(http.TrailerPrefix+"RateLimit", `"default";r=999999;t=60`)
		_, _ = io.WriteString(w, "text")
	}))
	for range 3 {
		get(t, transport, http.MethodGet, url)
		require.Zero(t, transport.State()[0].InFlight)
		require.Len(t, known(transport), 1)
		require.Equal(t, limits.Requests, known(transport)[0].Unit)
	}
}
