package ratelimittest_test

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// A receipt is what a server knows of a request before it reads the body.
type receipt struct {
	Method, URI, Host string
	URL               url.URL
	Length            int64
	Encoding          []string
	Trailer           http.Header
	Form              url.Values
}

func TestTransportSendsRequestsLikeHTTP(t *testing.T) {
	type change func(*http.Request)
	tests := []struct {
		name    string
		method  string           // "": GET
		address string           // the URL after the authority
		body    func() io.Reader // nil: no body
		change  change
		want    receipt // an empty Host stands for the authority
	}{
		{name: "a path", address: "/a%2Fb", want: receipt{URI: "/a%2Fb", URL: url.URL{Path: "/a/b", RawPath: "/a%2Fb"}}},
		{name: "no path", want: receipt{URI: "/", URL: url.URL{Path: "/"}}},
		{name: "no path but a query", address: "?x=1", want: receipt{URI: "/?x=1", URL: url.URL{Path: "/", RawQuery: "x=1"}}},
		{name: "a fragment", address: "/a#b", want: receipt{URI: "/a", URL: url.URL{Path: "/a"}}},
		{
			name: "an opaque URL", address: "/", change: func(r *http.Request) { r.URL.Opaque = "//" + r.URL.Host + "/a" },
			want: receipt{URI: "http://authority/a", URL: url.URL{Scheme: "http", Host: "authority", Path: "/a"}},
		},
		{
			name: "a tunnel", method: "CONNECT", change: func(r *http.Request) { r.Host = "far.test:443" },
			want: receipt{URI: "far.test:443", Host: "far.test:443", URL: url.URL{Host: "far.test:443"}},
		},
		{
			name: "a tunnel to an opaque URL", method: "CONNECT", change: func(r *http.Request) { r.URL.Opaque = "far.test:443" },
			want: receipt{URI: "far.test:443", Host: "far.test:443", URL: url.URL{Host: "far.test:443"}},
		},
		{
			name: "a tunnel to a path", method: "CONNECT", address: "/a",
			want: receipt{URI: "/a", URL: url.URL{Path: "/a"}},
		},
		{
			name: "a body of known length", method: "POST", address: "/", body: func() io.Reader { return strings.NewReader("hello") },
			want: receipt{URI: "/", URL: url.URL{Path: "/"}, Length: 5},
		},
		{
			name: "a body of unknown length", method: "POST", address: "/", body: func() io.Reader { return io.MultiReader(strings.NewReader("hello")) },
			want: receipt{URI: "/", URL: url.URL{Path: "/"}, Length: -1, Encoding: chunked},
		},
		{
			name: "a form that the client has parsed", address: "/", change: func(r *http.Request) { r.Form = url.Values{"x": {"1"}} },
			want: receipt{URI: "/", URL: url.URL{Path: "/"}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, network := range []string{"over HTTP", "in memory"} {
				var got receipt
				h := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					got = receipt{r.Method, r.RequestURI, r.Host, *r.URL, r.ContentLength, r.TransferEncoding, r.Trailer, r.Form}
				})
				authority := "api.test"
				var rt http.RoundTripper = &ratelimittest.Transport{Handler: h}
				if network == "over HTTP" {
					srv := httptest.NewServer(h)
					defer srv.Close()
					authority, rt = srv.Listener.Addr().String(), srv.Client().Transport
				}
				var body io.Reader
				if tt.body != nil {
					body = tt.body()
				}
				req := newRequest(t, cmp.Or(tt.method, "GET"), "http://"+authority+tt.address, body)
				if tt.change != nil {
					tt.change(req)
				}
				_, err := roundTrip(t, rt, req)
				require.NoError(t, err, network)

				want := tt.want
				want.Method, want.Host = req.Method, cmp.Or(want.Host, authority)
				want.URI = strings.Replace(want.URI, "authority", authority, 1)
				want.URL.Host = strings.Replace(want.URL.Host, "authority", authority, 1)
				require.Equal(t, want, got, network)
			}
		})
	}
}

// A request that net/http refuses to send fails in memory, too.
func TestTransportRefusesLikeHTTP(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*http.Request)
		want   string // the error in memory
	}{
		{"no scheme", func(r *http.Request) { r.URL.Scheme = "" }, `unsupported protocol scheme ""`},
		{"a scheme that is not HTTP", func(r *http.Request) { r.URL.Scheme = "ftp" }, `unsupported protocol scheme "ftp"`},
		{"no host", func(r *http.Request) { r.URL.Host = "" }, "no Host in the request URL"},
		{"no host in the URL, but in the request", func(r *http.Request) { r.URL.Host, r.Host = "", "api.test" }, "no Host in the request URL"},
		{"a method of two words", func(r *http.Request) { r.Method = "GE T" }, `invalid method "GE T"`},
		{"a length without a body", func(r *http.Request) { r.Body, r.ContentLength = nil, 5 }, "a ContentLength but no Body"},
		{"a body that is too short", func(r *http.Request) { r.ContentLength = 6 }, "not as long as its ContentLength"},
		{"a body that is too long", func(r *http.Request) { r.ContentLength = 4 }, "not as long as its ContentLength"},
	} {
		t.Run(row.name, func(t *testing.T) {
			h := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.ReadAll(r.Body) })
			srv := httptest.NewServer(h)
			defer srv.Close()
			send := func(rt http.RoundTripper) error {
				req := newRequest(t, "POST", srv.URL, strings.NewReader("hello"))
				row.change(req)
				_, err := roundTrip(t, rt, req)
				return err
			}
			require.Error(t, send(srv.Client().Transport))
			require.ErrorContains(t, send(&ratelimittest.Transport{Handler: h}), row.want)
		})
	}
}

// A handler reads at most ContentLength bytes, and gets an error if there are fewer.
func TestTransportBodyOfAnotherLength(t *testing.T) {
	for length, want := range map[int64]string{4: "hell, <nil>", 5: "hello, <nil>", 6: "hello, unexpected EOF"} {
		got := make(chan string, 1)
		h := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			got <- fmt.Sprintf("%s, %v", body, err)
		})
		req := newRequest(t, "POST", "http://api.test/", strings.NewReader("hello"))
		req.ContentLength = length
		_, err := roundTrip(t, &ratelimittest.Transport{Handler: h}, req)
		require.Equal(t, length == 5, err == nil, "%v", err)
		require.Equal(t, want, <-got)
	}
}

// Some header fields come from fields of the Request, not from its Header.
func TestTransportOverridesHeaderFields(t *testing.T) {
	for _, network := range []string{"over HTTP", "in memory"} {
		var header http.Header
		var got receipt
		h := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			header, got = r.Header, receipt{Host: r.Host, Length: r.ContentLength, Encoding: r.TransferEncoding, Trailer: r.Trailer}
		})
		srv := httptest.NewServer(h)
		defer srv.Close()
		rt := srv.Client().Transport
		if network == "in memory" {
			rt = &ratelimittest.Transport{Handler: h}
		}
		req := newRequest(t, "GET", srv.URL, nil)
		for _, name := range []string{"Host", "Content-Length", "Transfer-Encoding", "Trailer"} {
			req.Header.Set(name, "7")
		}
		_, err := roundTrip(t, rt, req)
		require.NoError(t, err, network)
		require.Equal(t, receipt{Host: srv.Listener.Addr().String()}, got, network)
		for name := range req.Header {
			require.NotContains(t, header, name, network)
		}
	}
}

// A ContentLength without a body does not reach the handler.
func TestTransportWithoutABody(t *testing.T) {
	for _, network := range []string{"over HTTP", "in memory"} {
		length := int64(-1)
		h := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { length = r.ContentLength })
		srv := httptest.NewServer(h)
		defer srv.Close()
		rt := srv.Client().Transport
		if network == "in memory" {
			rt = &ratelimittest.Transport{Handler: h}
		}
		req := newRequest(t, "POST", srv.URL, http.NoBody)
		req.ContentLength = 5
		_, err := roundTrip(t, rt, req)
		require.NoError(t, err, network)
		require.Zero(t, length, network)
	}
}

// A request without a path has the path "/", so that a ServeMux does not redirect the client.
func TestTransportHasAPathForAMux(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("/", hello)
	h := &ratelimittest.Handler{Next: mux}
	client := &http.Client{Transport: &ratelimittest.Transport{Handler: h}}
	resp, err := client.Do(newRequest(t, "GET", "http://api.test", nil))
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Len(t, h.Log.Arrivals(), 1)
}

// A request that cannot be sent fails, and its body is closed.
func TestTransportRefusesInvalidRequests(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*http.Request)
		want   string
	}{
		{"no URL", func(r *http.Request) { r.URL = nil }, "nil URL"},
		{"a URL that no server reads", func(r *http.Request) { r.URL.Opaque = "no path" }, "invalid request URI"},
		{"a control character", func(r *http.Request) { r.URL.RawQuery = "\x7f" }, "invalid request URI"},
	} {
		t.Run(row.name, func(t *testing.T) {
			body := &closeCounter{Reader: strings.NewReader("")}
			req := newRequest(t, "POST", "http://api.test/", body)
			row.change(req)
			_, err := roundTrip(t, new(ratelimittest.Transport), req)
			require.ErrorContains(t, err, row.want)
			require.Equal(t, 1, body.closed)
		})
	}
}
