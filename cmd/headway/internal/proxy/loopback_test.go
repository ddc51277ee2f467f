package proxy

import (
	"bufio"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/validate"
)

// A door is a proxy that listens on loopback, in front of a real server.
type door struct {
	url    string
	proxy  *proxy
	log    *logBuffer
	client *http.Client
}

// open starts a proxy in front of a server, until the test ends. Before that each change is made to the proxy.
func open(t *testing.T, upstream *httptest.Server, c Config, changes ...func(*proxy)) *door {
	t.Helper()
	if len(c.Upstreams) == 0 {
		c.Upstreams = []Upstream{{To: upstream.URL}}
	}
	log, text := newLog()
	p, err := build(c, log)
	require.NoError(t, err)
	if upstream.TLS != nil {
		base, isTransport := p.upstreams[0].base.(*http.Transport)
		require.True(t, isTransport)
		base.TLSClientConfig = &tls.Config{RootCAs: upstream.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs, MinVersion: tls.VersionTLS12}
	}
	for _, change := range changes {
		change(p)
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- p.serve(ctx, listener) }()
	transport := &http.Transport{MaxIdleConnsPerHost: 100, DisableCompression: true}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		stop()
		require.NoError(t, <-ended)
		p.close()
		require.NotContains(t, text.String(), "panic")
		if t.Failed() {
			t.Log(text.String())
		}
	})
	return &door{"http://" + listener.Addr().String(), p, text, &http.Client{Transport: transport}}
}

// listen starts a real server until the test ends.
func listen(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s
}

func request(t *testing.T, method, url string, body io.Reader) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, body)
	require.NoError(t, err)
	return req
}

// Server-sent events, and the bytes of a response with a length, arrive one by one: the server sends the next one only when
// the client has got the last. The proxy adds no Content-Type.
func TestEventsArriveOneByOne(t *testing.T) {
	const event, events = "data: x\n\n", 5
	for _, row := range []struct{ name, field, value string }{
		{"a stream", "Content-Type", "text/event-stream"},
		{"a length", "Content-Length", fmt.Sprint(events * len(event))},
	} {
		t.Run(row.name, func(t *testing.T) {
			next := make(chan struct{})
			d := open(t, listen(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header()["Content-Type"] = nil
				w.Header().Set(row.field, row.value)
				for range events {
					_, _ = io.WriteString(w, event)
					_ = http.NewResponseController(w).Flush()
					select {
					case <-next:
					case <-r.Context().Done():
						return
					}
				}
			}), Config{Grace: -1})
			ctx, cancel := context.WithTimeout(t.Context(), stall/2)
			defer cancel()
			resp, err := d.client.Do(request(t, http.MethodGet, d.url, nil).WithContext(ctx))
			require.NoError(t, err)
			defer func() { require.NoError(t, resp.Body.Close()) }()
			require.Equal(t, row.value, resp.Header.Get(row.field))
			require.Equal(t, row.field == "Content-Type", resp.Header.Get("Content-Type") != "")
			for range events {
				got := make([]byte, len(event))
				_, err := io.ReadFull(resp.Body, got)
				require.NoError(t, err)
				require.Equal(t, event, string(got))
				next <- struct{}{}
			}
			_, err = resp.Body.Read(make([]byte, 1))
			require.ErrorIs(t, err, io.EOF)
		})
	}
}

// A request and its response stream at the same time, in both directions.
func TestStreamInBothDirections(t *testing.T) {
	d := open(t, listen(t, func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		_ = control.EnableFullDuplex()
		in := bufio.NewReader(r.Body)
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			_, _ = io.WriteString(w, "echo "+line)
			_ = control.Flush()
		}
	}), Config{})
	content, say := io.Pipe()
	go func() { _, _ = io.WriteString(say, "first\n") }()
	resp, err := d.client.Do(request(t, http.MethodPost, d.url, content))
	require.NoError(t, err)
	defer func() { require.NoError(t, resp.Body.Close()) }()
	in := bufio.NewReader(resp.Body)
	for _, line := range []string{"first\n", "second\n", "third\n"} {
		got, err := in.ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "echo "+line, got)
		if next := map[string]string{"first\n": "second\n", "second\n": "third\n"}[line]; next != "" {
			_, err = io.WriteString(say, next)
			require.NoError(t, err)
		}
	}
	require.NoError(t, say.Close())
}

// A response that comes before the client has sent all of its content is passed on at once. A 429 is so, too, if the
// request cannot be sent again in time. The deadline is for a proxy that does neither.
func TestEarlyResponse(t *testing.T) {
	for _, row := range []struct {
		name    string
		isHTTP2 bool
		status  int
	}{
		{"HTTP/1, refused", false, 429},
		{"HTTP/1, too large", false, 413},
		{"HTTP/2, refused", true, 429},
		{"HTTP/2, too large", true, 413},
		{"HTTP/2, done", true, 200},
	} {
		t.Run(row.name, func(t *testing.T) {
			upstream := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				control := http.NewResponseController(w)
				_ = control.EnableFullDuplex()
				_, _ = io.ReadFull(r.Body, make([]byte, 3))
				w.Header().Set("Retry-After", "7200")
				w.WriteHeader(row.status)
				_, _ = io.WriteString(w, "first ")
				_ = control.Flush()
				_, _ = io.WriteString(w, "second")
			}))
			upstream.EnableHTTP2 = row.isHTTP2
			upstream.StartTLS()
			t.Cleanup(upstream.Close)
			d := open(t, upstream, Config{Grace: -1})
			ctx, cancel := context.WithTimeout(t.Context(), stall/2)
			defer cancel()
			content, say := io.Pipe()
			defer func() { require.NoError(t, say.Close()) }()
			go func() { _, _ = io.WriteString(say, "abc") }() // and no end
			resp, err := d.client.Do(request(t, http.MethodPost, d.url, content).WithContext(ctx))
			require.NoError(t, err)
			require.Equal(t, row.status, resp.StatusCode)
			require.Equal(t, "first second", textOf(t, resp))
		})
	}
}

// A response that comes before the end of the content is the last one of its connection. What the client sends after it is
// never taken for a request.
func TestConnectionEndsWithAnEarlyResponse(t *testing.T) {
	const rest = "GET /-/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
	early := listen(t, func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex()
		_, _ = io.ReadFull(r.Body, make([]byte, 3))
		w.Header().Set("Connection", "close") // net/http fails otherwise, see https://go.dev/issue/68560
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	})
	held := listen(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7200")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	for _, row := range []struct {
		name, to string
		want     int
	}{
		{"of the upstream", early.URL, http.StatusRequestEntityTooLarge},
		{"a refusal", held.URL, http.StatusTooManyRequests},
		{"an upstream that is down", "http://127.0.0.1:1", http.StatusBadGateway},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := open(t, early, Config{Upstreams: []Upstream{{To: row.to, MaxRetries: -1}}, Grace: -1})
			resp, err := d.client.Do(request(t, http.MethodGet, d.url, nil)) // so that there is a hold
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
			for range 20 {
				conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(d.url, "http://"))
				require.NoError(t, err)
				s := &session{conn, bufio.NewReader(conn)}
				s.write(t, "POST / HTTP/1.1\nHost: localhost\nTransfer-Encoding: chunked\n\n3\nabc\n")
				resp, err := http.ReadResponse(s.in, nil)
				require.NoError(t, err)
				require.Equal(t, row.want, resp.StatusCode)
				require.True(t, resp.Close)
				_, _ = fmt.Fprintf(s, "%x\r\n%s\r\n0\r\n\r\n%s", len(rest), rest, rest) // fails if the proxy was quicker
				_, _ = io.Copy(io.Discard, resp.Body)
				require.Zero(t, s.status())
				require.NoError(t, s.Close())
			}
		})
	}
}

// Trailers pass in both directions: those of responses always, and those of requests if they are announced.
func TestTrailers(t *testing.T) {
	var got http.Header
	d := open(t, listen(t, func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex()
		w.Header().Set("Trailer", "X-Sum")
		_, _ = io.Copy(w, r.Body)
		got = r.Trailer.Clone()
		w.Header().Set("X-Sum", "response")
		w.Header().Set(http.TrailerPrefix+"X-Late", "late")
	}), Config{})
	for _, times := range []int{1, 1 << 20} { // short enough to be sent again, and not
		content := strings.Repeat("0123456789a", times)
		req := request(t, http.MethodPost, d.url, io.NopCloser(strings.NewReader(content)))
		req.ContentLength = -1
		req.Trailer = http.Header{"X-Check": {"request"}}
		resp, err := d.client.Do(req)
		require.NoError(t, err)
		require.Equal(t, sha256.Sum256([]byte(content)), sha256.Sum256([]byte(textOf(t, resp))))
		require.Equal(t, "request", got.Get("X-Check"))
		require.Equal(t, "response", resp.Trailer.Get("X-Sum"))
		require.Equal(t, "late", resp.Trailer.Get("X-Late"))
	}
}

// The proxy paces by limits in a header, in a trailer that is announced, and by the profiles of its configuration.
func TestLimitsAreLearned(t *testing.T) {
	profile := validate.Profile{
		Host: "127.0.0.1", Fields: []validate.Field{{Name: "X-Used", Holds: validate.HoldsUsed, Quota: 1_000_000, Window: time.Minute}},
	}
	for _, row := range []struct {
		name          string
		profiles      Profiles
		trailer       string
		field, limits string
	}{
		{"header", nil, "", "RateLimit", `"default";r=999999;t=60`},
		{"trailer", nil, "RateLimit", "RateLimit", `"default";r=999999;t=60`},
		{"profile", Profiles{profile}, "", "X-Used", "1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := open(t, listen(t, func(w http.ResponseWriter, _ *http.Request) {
				if row.trailer != "" {
					w.Header().Set("Trailer", row.trailer)
					_, _ = io.WriteString(w, "text")
				}
				w.Header().Set(row.field, row.limits)
			}), Config{Profiles: row.profiles})
			resp, err := d.client.Do(request(t, http.MethodGet, d.url, nil))
			require.NoError(t, err)
			_ = textOf(t, resp)
			fields := resp.Header
			if row.trailer != "" {
				fields = resp.Trailer
			}
			require.Equal(t, row.limits, fields.Get(row.field))
			limits := d.proxy.upstreams[0].transport.State()[0].Limits
			require.Len(t, limits, 1)
			require.EqualValues(t, 999999, limits[0].Remaining)
		})
	}
}

// Interim responses pass: 100 Continue when the content is wanted, and 103 Early Hints.
func TestInterimResponses(t *testing.T) {
	d := open(t, listen(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "</style.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		_, _ = io.Copy(w, r.Body)
	}), Config{})
	var mu sync.Mutex
	var seen []int
	req := request(t, http.MethodPost, d.url, strings.NewReader("content"))
	req.Header.Set("Expect", "100-continue")
	resp, err := d.client.Do(req.WithContext(httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		Got1xxResponse: func(code int, _ textproto.MIMEHeader) error {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, code)
			return nil
		},
	})))
	require.NoError(t, err)
	require.Equal(t, "content", textOf(t, resp))
	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, []int{100, 103}, seen)
}

// Content stays encoded as it is, and the proxy asks for no encoding of its own.
func TestContentStaysEncoded(t *testing.T) {
	d := open(t, listen(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = io.WriteString(w, "not really gzip, Accept-Encoding: "+strings.Join(r.Header["Accept-Encoding"], ","))
	}), Config{})
	resp, err := d.client.Do(request(t, http.MethodGet, d.url, nil))
	require.NoError(t, err)
	require.Equal(t, "gzip", resp.Header.Get("Content-Encoding"))
	require.Equal(t, "not really gzip, Accept-Encoding: ", textOf(t, resp))
}

// The upstream is asked over HTTP/2 where it can do that.
func TestHTTP2ToTheUpstream(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "X-Sum")
		_, _ = fmt.Fprintf(w, "%s %s", r.Proto, r.Header.Get("Connection"))
		w.Header().Set("X-Sum", "sum")
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	d := open(t, s, Config{})
	resp, err := d.client.Do(request(t, http.MethodGet, d.url, nil))
	require.NoError(t, err)
	require.Equal(t, "HTTP/2.0 ", textOf(t, resp))
	require.Equal(t, "sum", resp.Trailer.Get("X-Sum"))
}

// A WebSocket passes, and is not paced.
func TestWebSocket(t *testing.T) {
	ended := make(chan error, 1)
	upstream := listen(t, func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			ended <- err
			return
		}
		defer func() { _ = conn.CloseNow() }()
		for {
			kind, text, err := conn.Read(r.Context())
			if err != nil {
				ended <- nil
				return
			}
			if err := conn.Write(r.Context(), kind, append([]byte("echo "), text...)); err != nil {
				ended <- err
				return
			}
		}
	})
	d := open(t, upstream, Config{})
	conn, resp, err := websocket.Dial(t.Context(), d.url, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusSwitchingProtocols, resp.StatusCode)
	for _, text := range []string{"a", strings.Repeat("b", 30_000)} {
		require.NoError(t, conn.Write(t.Context(), websocket.MessageText, []byte(text)))
		_, got, err := conn.Read(t.Context())
		require.NoError(t, err)
		require.Equal(t, "echo "+text, string(got))
	}
	require.Empty(t, d.proxy.upstreams[0].transport.State(), "it is not paced")
	require.NoError(t, conn.CloseNow())
	require.NoError(t, <-ended)
}

// A client that closes its connection ends its request at the upstream.
func TestConnectionIsClosed(t *testing.T) {
	for _, row := range []struct {
		name    string
		content io.Reader
	}{
		{"no content", nil},
		{"content", strings.NewReader("content")},
	} {
		t.Run(row.name, func(t *testing.T) {
			arrived, left := make(chan struct{}), make(chan struct{})
			d := open(t, listen(t, func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				close(arrived)
				<-r.Context().Done()
				close(left)
			}), Config{})
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-arrived; cancel() }()
			_, err := d.client.Do(request(t, http.MethodPost, d.url, row.content).WithContext(ctx))
			require.ErrorIs(t, err, context.Canceled)
			<-left
		})
	}
}
