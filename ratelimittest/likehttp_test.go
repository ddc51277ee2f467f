package ratelimittest_test

import (
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// A sighting is all that a client sees of one response.
type sighting struct {
	Failed   bool // without a response
	Early    []string
	Status   string
	Header   http.Header // without Date
	Length   int64
	Encoding []string
	Promised http.Header // the trailer before the body was read
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

// seenAlike checks what a client sees of a handler over real HTTP, in a bubble far
// away, and outside of bubbles.
func seenAlike(t *testing.T, method string, want sighting, makeHandler func() http.Handler) {
	t.Helper()
	t.Run("over HTTP", func(t *testing.T) {
		srv := httptest.NewUnstartedServer(makeHandler())
		srv.Config.ErrorLog = log.New(io.Discard, "", 0) // superfluous calls are meant
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
	longer = 5000 // bytes, more than is held back
)

var hello = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", plain)
	_, _ = io.WriteString(w, "hello ")
	_, _ = io.WriteString(w, "world")
})

func TestTransportIsLikeHTTP(t *testing.T) {
	chunked := []string{"chunked"}
	write := func(w http.ResponseWriter, s string) { _, _ = io.WriteString(w, s) }
	flush := func(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }
	tests := []struct {
		name   string
		method string // "": GET
		serve  func(w http.ResponseWriter, r *http.Request)
		want   sighting
	}{
		{
			"nothing", "",
			func(http.ResponseWriter, *http.Request) {},
			sighting{Status: "200 OK", Header: http.Header{"Content-Length": {"0"}}},
		},
		{
			"a short body", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusCreated)
				write(w, "ma")
				write(w, "de")
			},
			sighting{Status: "201 Created", Header: http.Header{"Content-Length": {"4"}, "Content-Type": {plain}}, Length: 4, Body: "made"},
		},
		{
			"as much as is held back", "",
			func(w http.ResponseWriter, _ *http.Request) { write(w, strings.Repeat("x", 2048)) },
			sighting{
				Status: "200 OK", Header: http.Header{"Content-Length": {"2048"}, "Content-Type": {plain}},
				Length: 2048, Body: strings.Repeat("x", 2048),
			},
		},
		{
			"a long body", "",
			func(w http.ResponseWriter, _ *http.Request) {
				for range longer / 10 {
					write(w, "0123456789")
				}
			},
			sighting{
				Status: "200 OK", Header: http.Header{"Content-Type": {plain}},
				Length: -1, Encoding: chunked, Body: strings.Repeat("0123456789", longer/10),
			},
		},
		{
			"a long body of declared length", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "5000")
				write(w, strings.Repeat("x", longer))
			},
			sighting{
				Status: "200 OK", Header: http.Header{"Content-Length": {"5000"}, "Content-Type": {plain}},
				Length: longer, Body: strings.Repeat("x", longer),
			},
		},
		{
			"a body that was flushed", "",
			func(w http.ResponseWriter, _ *http.Request) {
				write(w, "a")
				flush(w)
				write(w, "b")
				flush(w)
			},
			sighting{Status: "200 OK", Header: http.Header{"Content-Type": {plain}}, Length: -1, Encoding: chunked, Body: "ab"},
		},
		{
			"a header that was flushed", "",
			func(w http.ResponseWriter, _ *http.Request) { flush(w) },
			sighting{Status: "200 OK", Header: http.Header{}, Length: -1, Encoding: chunked},
		},
		{
			"a header of any spelling", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["x-ratelimit-limit"] = []string{"10"}
				w.Header()["X-Nothing"] = nil
				w.Header()["Content-Type"] = nil
				write(w, "a")
			},
			sighting{Status: "200 OK", Header: http.Header{"Content-Length": {"1"}, "X-Ratelimit-Limit": {"10"}}, Length: 1, Body: "a"},
		},
		{
			"an encoded body is of any type", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Encoding", "br")
				write(w, "a")
			},
			sighting{Status: "200 OK", Header: http.Header{"Content-Length": {"1"}, "Content-Encoding": {"br"}}, Length: 1, Body: "a"},
		},
		{
			"only the first status and header count", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("X-When", "before")
				w.WriteHeader(http.StatusAccepted)
				w.Header().Set("X-When", "after")
				w.WriteHeader(http.StatusTeapot)
				w.WriteHeader(http.StatusEarlyHints)
			},
			sighting{Status: "202 Accepted", Header: http.Header{"Content-Length": {"0"}, "X-When": {"before"}}},
		},
		{
			"a status without a name", "",
			func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(599) },
			sighting{Status: "599 status code 599", Header: http.Header{"Content-Length": {"0"}}},
		},
		{
			"a Content-Length that is none", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "many")
				flush(w)
				write(w, "a")
			},
			sighting{Status: "200 OK", Header: http.Header{}, Length: -1, Encoding: chunked, Body: "a"},
		},
		{
			"less than declared", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "10")
				write(w, "a")
			},
			sighting{
				Status: "200 OK", Header: http.Header{"Content-Length": {"10"}, "Content-Type": {plain}},
				Length: 10, Body: "a", Err: io.ErrUnexpectedEOF,
			},
		},
		{
			"more than declared", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "2")
				write(w, "ab")
				if n, err := io.WriteString(w, "c"); n != 0 || !errors.Is(err, http.ErrContentLength) {
					panic("it was sent")
				}
			},
			sighting{Status: "200 OK", Header: http.Header{"Content-Length": {"2"}, "Content-Type": {plain}}, Length: 2, Body: "ab"},
		},
		{
			"nothing after more than declared", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "2")
				for _, p := range []string{"abc", "ab"} {
					if n, err := io.WriteString(w, p); n != 0 || !errors.Is(err, http.ErrContentLength) {
						panic("it was sent")
					}
				}
			},
			sighting{Status: "200 OK", Header: http.Header{"Content-Length": {"2"}}, Length: 2, Err: io.ErrUnexpectedEOF},
		},
		{
			"HEAD, not modified", "HEAD",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "7")
				w.WriteHeader(http.StatusNotModified)
			},
			sighting{Status: "304 Not Modified", Header: http.Header{}, Length: -1},
		},
		{
			"HEAD", "HEAD",
			func(w http.ResponseWriter, _ *http.Request) { write(w, "made") },
			sighting{Status: "200 OK", Header: http.Header{"Content-Length": {"4"}, "Content-Type": {plain}}, Length: 4},
		},
		{
			"HEAD of nothing", "HEAD",
			func(http.ResponseWriter, *http.Request) {},
			sighting{Status: "200 OK", Header: http.Header{}, Length: -1},
		},
		{
			"HEAD with a length and no body", "HEAD",
			func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "7") },
			sighting{Status: "200 OK", Header: http.Header{"Content-Length": {"7"}}, Length: 7},
		},
		{
			"HEAD of a long body", "HEAD",
			func(w http.ResponseWriter, _ *http.Request) {
				write(w, strings.Repeat("x", longer))
				write(w, "y")
			},
			sighting{Status: "200 OK", Header: http.Header{"Content-Type": {plain}}, Length: -1},
		},
		{
			"204", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "1")
				w.WriteHeader(http.StatusNoContent)
				if _, err := io.WriteString(w, "a"); !errors.Is(err, http.ErrBodyNotAllowed) {
					panic("it was sent")
				}
			},
			sighting{Status: "204 No Content", Header: http.Header{}},
		},
		{
			"304", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", plain)
				w.Header().Set("Etag", `"1"`)
				w.WriteHeader(http.StatusNotModified)
			},
			sighting{Status: "304 Not Modified", Header: http.Header{"Etag": {`"1"`}}},
		},
		{
			"informational responses", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Link", "</a>")
				w.Header().Set("Content-Length", "1")
				w.WriteHeader(http.StatusEarlyHints)
				w.WriteHeader(http.StatusProcessing)
				write(w, "a")
			},
			sighting{
				Early: []string{"Early Hints </a>", "Processing </a>"}, Status: "200 OK",
				Header: http.Header{"Content-Length": {"1"}, "Content-Type": {plain}, "Link": {"</a>"}}, Length: 1, Body: "a",
			},
		},
		{
			"a declared trailer", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Trailer", "X-Sum, x-none")
				write(w, "a")
				w.Header().Set("X-Sum", "42")
				w.Header().Set("X-Late", "not declared")
			},
			sighting{
				Status: "200 OK", Header: http.Header{"Content-Type": {plain}}, Length: -1, Encoding: chunked, Body: "a",
				Promised: http.Header{"X-Sum": nil, "X-None": nil}, Trailer: http.Header{"X-Sum": {"42"}, "X-None": nil},
			},
		},
		{
			"a trailer that comes as a surprise", "",
			func(w http.ResponseWriter, _ *http.Request) {
				write(w, "a")
				flush(w)
				w.Header().Set(http.TrailerPrefix+"X-Sum", "42")
			},
			sighting{
				Status: "200 OK", Header: http.Header{"Content-Type": {plain}}, Length: -1, Encoding: chunked, Body: "a",
				Trailer: http.Header{"X-Sum": {"42"}},
			},
		},
		{
			"a surprise without a body", "",
			func(w http.ResponseWriter, _ *http.Request) { w.Header().Set(http.TrailerPrefix+"x-sum", "42") },
			sighting{Status: "200 OK", Header: http.Header{}, Length: -1, Encoding: chunked, Trailer: http.Header{"X-Sum": {"42"}}},
		},
		{
			"a trailer that is too late", "",
			func(w http.ResponseWriter, _ *http.Request) {
				write(w, "a")
				w.Header().Set(http.TrailerPrefix+"X-Sum", "42")
			},
			sighting{Status: "200 OK", Header: http.Header{"Content-Length": {"1"}, "Content-Type": {plain}}, Length: 1, Body: "a"},
		},
		{
			"aborted before the header", "",
			func(w http.ResponseWriter, _ *http.Request) {
				write(w, "a")
				panic(http.ErrAbortHandler)
			},
			sighting{Failed: true},
		},
		{
			"aborted in the body", "",
			func(w http.ResponseWriter, _ *http.Request) {
				write(w, "a")
				flush(w)
				panic(http.ErrAbortHandler)
			},
			sighting{Status: "200 OK", Header: http.Header{"Content-Type": {plain}}, Length: -1, Encoding: chunked, Body: "a", Err: io.ErrUnexpectedEOF},
		},
		{
			"aborted in a body of declared length", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "2")
				write(w, "a")
				flush(w)
				panic(http.ErrAbortHandler)
			},
			sighting{
				Status: "200 OK", Header: http.Header{"Content-Length": {"2"}, "Content-Type": {plain}},
				Length: 2, Body: "a", Err: io.ErrUnexpectedEOF,
			},
		},
		{
			"full duplex", "",
			func(w http.ResponseWriter, _ *http.Request) {
				if err := http.NewResponseController(w).EnableFullDuplex(); err != nil {
					panic(err)
				}
			},
			sighting{Status: "200 OK", Header: http.Header{"Content-Length": {"0"}}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			method := tt.method
			if method == "" {
				method = "GET"
			}
			seenAlike(t, method, tt.want, func() http.Handler { return http.HandlerFunc(tt.serve) })
		})
	}
}

// What a handler sees of a request's body.
func TestTransportUploadsLikeHTTP(t *testing.T) {
	type upload struct {
		length int64
		body   string
		close  error
		after  error // of reading on
	}
	tests := []struct {
		name string
		body func() io.Reader
		want upload
	}{
		{"none", func() io.Reader { return nil }, upload{0, "", nil, io.EOF}},
		{"of known length", func() io.Reader { return strings.NewReader("hello") }, upload{5, "hello", nil, http.ErrBodyReadAfterClose}},
		{"of unknown length", func() io.Reader { return io.MultiReader(strings.NewReader("hello")) }, upload{-1, "hello", nil, http.ErrBodyReadAfterClose}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, network := range []string{"over HTTP", "in memory"} {
				got := make(chan upload, 1)
				h := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					closed := r.Body.Close()
					_, after := r.Body.Read(make([]byte, 1))
					got <- upload{r.ContentLength, string(body), closed, after}
				})
				url := "http://api.test/"
				var rt http.RoundTripper = &ratelimittest.Transport{Handler: h}
				if network == "over HTTP" {
					srv := httptest.NewServer(h)
					defer srv.Close()
					url, rt = srv.URL, srv.Client().Transport
				}
				look(t, rt, "POST", url, tt.body())
				require.Equal(t, tt.want, <-got, network)
			}
		})
	}
}
