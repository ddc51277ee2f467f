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
)

// The tests in this file are about real connections. No request waits, so no time passes.

// dial starts a server and returns a Transport that reaches it.
func dial(t *testing.T, isHTTP2 bool, handler http.Handler) (transport *headway.Transport, url string) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2 = isHTTP2
	server.StartTLS()
	t.Cleanup(server.Close)
	return &headway.Transport{Base: server.Client().Transport}, server.URL
}

// What a trailer reports delays the next request, if the header has announced a trailer.
func TestOverTheWire(t *testing.T) {
	var packed bytes.Buffer
	packer := gzip.NewWriter(&packed)
	_, _ = io.WriteString(packer, "text")
	require.NoError(t, packer.Close())
	for _, test := range []struct {
		name      string
		method    string
		announced string // the field Trailer; "": none
		encoding  string
		sent      string
		body      string
		isPaced   bool
	}{
		{"another field is announced, as gRPC does", http.MethodGet, "Grpc-Status", "", "text", "text", true},
		{"compressed", http.MethodGet, "RateLimit", "gzip", packed.String(), "text", true},
		{"not announced", http.MethodGet, "", "", "text", "text", false},
		{"no body", http.MethodHead, "RateLimit", "", "text", "", false},
	} {
		for _, isHTTP2 := range []bool{false, true} {
			t.Run(test.name, func(t *testing.T) {
				transport, url := dial(t, isHTTP2, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					h := w.Header()
					h["Trailer"], h["Content-Encoding"] = one(test.announced), one(test.encoding)
					h.Set(http.TrailerPrefix+"RateLimit", `"default";r=0;t=60`)
					_, _ = io.WriteString(w, test.sent)
				}))
				transport.MaxWait = time.Second
				req := kit.NewRequest(t, url)
				req.Method = test.method
				resp, err := transport.RoundTrip(req)
				require.NoError(t, err)
				require.Equal(t, map[bool]int{false: 1, true: 2}[isHTTP2], resp.ProtoMajor)
				require.Equal(t, test.body, kit.ReadAll(t, resp))
				_, err = kit.Get(t.Context(), transport, url)
				if test.isPaced {
					require.ErrorIs(t, err, headway.ErrMaxWait)
					require.Equal(t, `"default";r=0;t=60`, resp.Trailer.Get("RateLimit"), "the caller has it, too")
				} else {
					require.NoError(t, err)
				}
			})
		}
	}
}

// one returns the lines of a field with that value; none if it is empty.
func one(value string) []string {
	if value == "" {
		return nil
	}
	return []string{value}
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
	known := transport.State()[0].Limits
	require.Len(t, known, 1)
	require.EqualValues(t, 999999, known[0].Remaining)
}
