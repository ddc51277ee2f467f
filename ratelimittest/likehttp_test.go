package ratelimittest_test

import (
	"cmp"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// A sighting contains all that a client sees of one response.
type sighting struct {
	Failed   bool // no response
	Early    []string
	Status   string
	Header   http.Header // without Date
	Length   int64
	Encoding []string
	Promised http.Header // Trailer before the body was read
	Body     string
	Err      error
	Trailer  http.Header
}

// look sends a request and reads the whole response.
func look(t *testing.T, rt http.RoundTripper, method, url string, body io.Reader) (s sighting) {
	t.Helper()
	trace := &httptrace.ClientTrace{Got1xxResponse: func(code int, header textproto.MIMEHeader) error {
		s.Early = append(s.Early, http.StatusText(code)+" "+header.Get("Link")+header.Get("Content-Length"))
		return nil
	}}
	req := newRequest(t, method, url, body)
	resp, err := rt.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	if err != nil {
		s.Failed = true
		return s
	}
	require.NotEmpty(t, resp.Header.Get("Date"))
	resp.Header.Del("Date")
	s.Status, s.Header, s.Length, s.Encoding, s.Promised = resp.Status, resp.Header, resp.ContentLength, resp.TransferEncoding, resp.Trailer.Clone()
	read, err := io.ReadAll(resp.Body)
	s.Body, s.Err, s.Trailer = string(read), err, resp.Trailer
	require.NoError(t, resp.Body.Close())
	return s
}

// requireSeen requires that a client sees the same of a handler in three ways: over real HTTP, in memory, and
// in a bubble with latency.
func requireSeen(t *testing.T, method string, want sighting, makeHandler func() http.Handler) {
	t.Helper()
	t.Run("over HTTP", func(t *testing.T) {
		srv := httptest.NewUnstartedServer(makeHandler())
		srv.Config.ErrorLog = log.New(io.Discard, "", 0) // handlers call WriteHeader twice on purpose
		srv.Start()
		defer srv.Close()
		network := &http.Transport{DisableCompression: true}
		defer network.CloseIdleConnections()
		require.Equal(t, want, look(t, network, method, srv.URL, nil))
	})
	t.Run("in memory", func(t *testing.T) {
		require.Equal(t, want, look(t, &ratelimittest.Transport{Handler: makeHandler()}, method, "http://api.test/", nil))
	})
	t.Run("in a bubble", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			network := &ratelimittest.Transport{Handler: makeHandler(), Latency: time.Second}
			begun := time.Now()
			require.Equal(t, want, look(t, network, method, "http://api.test/", nil))
			require.Equal(t, time.Second, time.Since(begun))
		})
	})
}

const (
	plain  = "text/plain; charset=utf-8"
	longer = 5000 // bytes, more than a responseWriter buffers
)

var chunked = []string{"chunked"}

func write(w http.ResponseWriter, s string) { _, _ = io.WriteString(w, s) }

func flush(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }

var hello = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", plain)
	write(w, "hello ")
	write(w, "world")
})

// A likeHTTP is a handler, and what a client sees of it over HTTP and in memory.
type likeHTTP struct {
	name   string
	method string // "": GET
	serve  http.HandlerFunc
	want   sighting
}

func requireLikeHTTP(t *testing.T, tests []likeHTTP) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			requireSeen(t, cmp.Or(tt.method, "GET"), tt.want, func() http.Handler { return tt.serve })
		})
	}
}
