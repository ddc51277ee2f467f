package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit/child"
)

// An upstream that cannot be reached is a 502 or 504 at once, and the reason is a line in the log. No request is sent again.
func TestUnreachableUpstream(t *testing.T) {
	for _, row := range []struct {
		name, to string
		dial     func(ctx context.Context, network, address string) (net.Conn, error) // nil: as the proxy dials
		want     int
		title    string
		reason   string
	}{
		{"down", "http://" + child.FreeAddress(t), nil, 502, "the upstream cannot be reached", "connection refused"},
		{"DNS is silent", "http://api.test", func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.DNSError{Err: "i/o timeout", Name: "api.test", IsTimeout: true}
		}, 504, "the upstream did not answer in time", "lookup api.test: i/o timeout"},
		{"no way", "http://api.test", func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connect: network is unreachable")}
		}, 502, "the upstream cannot be reached", "network is unreachable"},
		{"the proxy of HTTPS_PROXY is down", "http://api.test", func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "proxyconnect", Net: "tcp", Err: errors.New("connection refused")}
		}, 502, "the upstream cannot be reached", `"kind":"connect"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			log, text := newLog()
			p, err := build(Config{Upstreams: []Upstream{{To: row.to}}}, log)
			require.NoError(t, err)
			if base, isTransport := p.upstreams[0].base.(*http.Transport); row.dial != nil {
				require.True(t, isTransport)
				base.DialContext = row.dial
			}
			resp := get(t.Context(), p.server.Load(), "/?key=hunter2", "Authorization: Bearer hunter2")
			require.Equal(t, row.want, resp.StatusCode)
			require.Contains(t, textOf(t, resp), row.title)
			require.Len(t, text.lines("upstream failed"), 1)
			require.Contains(t, text.String(), row.reason)
			require.NotContains(t, text.String(), "hunter2")
			for _, state := range p.upstreams[0].transport.State() {
				require.Zero(t, state.Waiting+state.InFlight)
			}
		})
	}
}

// An upstream that cannot show who it is gets no request, and so no credentials.
func TestTLSThatFails(t *testing.T) {
	for _, row := range []struct {
		name   string
		server func(*httptest.Server)
		scheme string
		want   int
		reason string
	}{
		{"unknown certificate", (*httptest.Server).StartTLS, "https", 502, "certificate"},
		{"no TLS", (*httptest.Server).Start, "https", 502, "the upstream does not speak TLS"},
		{"an old version", func(s *httptest.Server) {
			s.TLS = &tls.Config{MaxVersion: tls.VersionTLS11} //nolint:gosec // it is to be refused
			s.StartTLS()
		}, "https", 502, "tls: "},
		{"TLS for http", (*httptest.Server).StartTLS, "http", 400, ""}, // the answer of Go's servers
	} {
		t.Run(row.name, func(t *testing.T) {
			upstream := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("sent") }))
			upstream.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
			row.server(upstream)
			t.Cleanup(upstream.Close)
			log, text := newLog()
			p, err := build(Config{Upstreams: []Upstream{{To: row.scheme + "://" + upstream.Listener.Addr().String()}}}, log)
			require.NoError(t, err)
			resp := get(t.Context(), p.server.Load(), "/", "Authorization: Bearer hunter2")
			require.Equal(t, row.want, resp.StatusCode)
			require.Contains(t, text.String(), row.reason)
			require.NotContains(t, text.String(), "hunter2")
		})
	}
}

// An upstream at the proxy's own address would send each request round for ever. Such a request ends at once.
func TestUpstreamIsTheProxyItself(t *testing.T) {
	for _, address := range []string{"127.0.0.1", "0.0.0.0"} {
		listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address+":0")
		require.NoError(t, err)
		_, port, err := net.SplitHostPort(listener.Addr().String())
		require.NoError(t, err)
		log, text := newLog()
		p, err := build(Config{Upstreams: []Upstream{{To: "http://localhost:" + port}}}, log)
		require.NoError(t, err)
		ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
		ended := make(chan error, 1)
		go func() { ended <- p.serve(ctx, listener) }()
		resp, err := http.DefaultClient.Do(request(t, http.MethodGet, "http://127.0.0.1:"+port, nil))
		require.NoError(t, err)
		require.Equal(t, http.StatusBadGateway, resp.StatusCode)
		require.Contains(t, textOf(t, resp), "the upstream is this proxy itself")
		require.Len(t, text.lines("upstream failed"), 1)
		require.Contains(t, text.String(), strings.TrimPrefix(errLoop.Error(), "proxy: "))
		http.DefaultClient.CloseIdleConnections()
		stop()
		require.NoError(t, <-ended)
	}
}

// A real server that accepts and says nothing, or takes nothing of a long request, is a 504 after its response-timeout, and the
// connection is closed.
func TestSilentUpstream(t *testing.T) {
	for _, isReading := range []bool{true, false} {
		listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		require.NoError(t, err)
		asked := make(chan struct{})
		go func() {
			defer func() { _ = listener.Close() }()
			conn, err := listener.Accept()
			if err != nil {
				t.Error(err)
				return
			}
			if !isReading {
				<-asked
			}
			_, _ = io.Copy(io.Discard, conn) // until the proxy closes the connection
		}()
		log, text := newLog()
		p, err := build(Config{Upstreams: []Upstream{{To: "http://" + listener.Addr().String(), ResponseTimeout: new(20 * time.Millisecond)}}}, log)
		require.NoError(t, err)
		content := io.LimitReader(zeros{}, 1)
		if !isReading {
			content = io.LimitReader(zeros{}, 64<<20)
		}
		resp := post(t.Context(), p.server.Load(), content)
		close(asked)
		require.Equal(t, http.StatusGatewayTimeout, resp.StatusCode)
		require.Contains(t, textOf(t, resp), "the upstream did not answer in time")
		require.Contains(t, text.await("upstream failed"), `"status":504,"kind":"timeout"`)
		_, err = listener.Accept()
		require.ErrorIs(t, err, net.ErrClosed)
	}
}
