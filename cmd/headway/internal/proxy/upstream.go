package proxy

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"golang.org/x/net/http/httpguts"

	"github.com/headway-go/headway"
)

// mostIdle bounds the idle connections to one upstream. net/http's default of 2 would make a new connection for nearly
// every one of many requests at once.
const mostIdle = 256

// pingAfter is how long an HTTP/2 connection may bring nothing until it is tried: all requests use one, and would go on to do
// so while its other end is gone.
const pingAfter = 15 * time.Second

// An upstream is a server behind the proxy.
type upstream struct {
	Upstream

	base      http.RoundTripper  // without pacing
	measured  http.RoundTripper  // base, and how long it takes to answer
	transport *headway.Transport // on measured
	proxy     *httputil.ReverseProxy
	log       *slog.Logger
	counters  *counters
}

// newUpstream makes an upstream.
func (p *proxy) newUpstream(c Upstream, profiles Profiles) *upstream {
	u := &upstream{
		Upstream: c, base: newBase(*c.ResponseTimeout, p.isOwn), log: p.summed.With(slog.String("upstream", c.Name)), counters: p.counters,
	}
	u.measured = promhttp.InstrumentRoundTripperDuration(p.counters.begin(c.Name),
		promhttp.RoundTripperFunc(func(req *http.Request) (*http.Response, error) { return u.base.RoundTrip(req) }))
	u.transport = &headway.Transport{
		Base: u.measured, MaxWait: c.MaxWait, MaxRetries: c.MaxRetries, Pacing: map[string]headway.Pacing{"measured": headway.PaceMeasured}[c.Pacing], Trace: events(u.log, p.counters),
		Profiles: profiles, SnapshotKey: p.sealing,
	}
	if p.fleet != nil {
		u.transport.Fleet = p.fleet
	}
	if c.PartitionHeader != "" {
		u.transport.Partition = func(req *http.Request) string {
			return partitionOf(req, exchangeOf(req.Context()).header[c.PartitionHeader], p.secret)
		}
	}
	_ = p.metrics.Instrument(u.transport, u.Name) // fails only for one that it has
	u.proxy = &httputil.ReverseProxy{
		Rewrite: u.rewrite, Transport: u, BufferPool: &p.buffers,
		ModifyResponse: u.adapt, ErrorHandler: u.writeError,
		ErrorLog: slog.NewLogLogger(netHandler{u.log.Handler()}, slog.LevelWarn), // responses that break off
	}
	return u
}

// newBase returns a RoundTripper that leaves the content of responses as it is. It uses HTTP/2 where the server does. timeout is how
// long the server may take nothing of a request, and how long it may then be silent; 0 and less: for ever. isOwn reports whether
// a new connection leads to the proxy itself; it is closed then.
func newBase(timeout time.Duration, isOwn func(net.Conn) bool) *http.Transport {
	base := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // the program does not replace it
	base.DisableCompression = true
	dial := base.DialContext
	base.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		if isOwn(conn) {
			return nil, errors.Join(errLoop, conn.Close())
		}
		return patientConn{conn, timeout}, nil
	}
	base.ResponseHeaderTimeout = max(timeout, 0)
	base.MaxIdleConns, base.MaxIdleConnsPerHost = 0, mostIdle
	base.HTTP2 = &http.HTTP2Config{SendPingTimeout: pingAfter}
	return base
}

// partitionOf returns the partition of requests with equal values of a field. The values may be secret.
func partitionOf(req *http.Request, values []string, secret []byte) string {
	hash := hmac.New(sha256.New, secret)
	for _, value := range values {
		hash.Write([]byte(value + "\n")) // never fails
	}
	return req.URL.Scheme + "://" + strings.ToLower(req.URL.Host) + "#" + hex.EncodeToString(hash.Sum(nil)[:8])
}

// rewrite makes the request for the upstream. It leaves alone what httputil would clean up: the client is no browser far
// away, but a program next door, and the server shall get what that has sent.
func (u *upstream) rewrite(r *httputil.ProxyRequest) {
	rest := strings.TrimPrefix(r.In.URL.EscapedPath(), u.Path)
	if path, err := url.PathUnescape(rest); err == nil { // it was parsed before, so there is no error
		r.Out.URL.Path, r.Out.URL.RawPath = path, rest
	}
	r.Out.URL.RawQuery = r.In.URL.RawQuery
	r.SetURL(u.target)
	if rest == "" { // SetURL would add a slash
		r.Out.URL.Path, r.Out.URL.RawPath = u.target.Path, u.target.RawPath
	}
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		values, isSet := r.In.Header[name]
		if isSet && !httpguts.HeaderValuesContainsToken(r.In.Header["Connection"], name) {
			r.Out.Header[name] = values
		}
	}
	removeFields(r.Out.Header)
	if !isWebSocket(r.In) { // an offer of HTTP/2 or TLS, as some clients make in every request
		r.Out.Header.Del("Upgrade")
		r.Out.Header.Del("Connection")
	}
	r.Out.Trailer = r.In.Trailer // net/http fills this map when the content ends
	if x := exchangeOf(r.In.Context()); x.recording != nil {
		r.Out.Body, r.Out.GetBody = x.recording.first(), x.recording.again
		if x.recording.isWhole() {
			r.Out.Header.Del("Expect") // net/http has answered it
		}
	}
}

// isWebSocket reports whether a request opens a WebSocket (RFC 6455 §4.1).
func isWebSocket(r *http.Request) bool {
	return r.Method == http.MethodGet && r.ContentLength == 0 && r.Header.Get("Sec-Websocket-Key") != "" &&
		strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}

// RoundTrip sends a request in its turn. A WebSocket goes at once: who holds such a connection uses it for hours.
func (u *upstream) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Header.Get("Upgrade") != "" {
		return u.measured.RoundTrip(req)
	}
	resp, err := u.transport.RoundTrip(req)
	if x := exchangeOf(req.Context()); x.recording != nil {
		x.recording.settle()
	}
	return resp, err
}

// adapt makes a response fit the proxy's address and HTTP/1. Over HTTP/2 a response can
// have both a length and trailers, which in HTTP/1 need chunks instead (RFC 9112 §7.1.2). While the client still sends, its
// connection ends with the response: net/http would not find where the next request begins.
func (u *upstream) adapt(resp *http.Response) error {
	if resp.StatusCode < 100 || resp.StatusCode > 999 {
		return errStatus
	}
	x := exchangeOf(resp.Request.Context())
	if x.isOpen() && resp.StatusCode != http.StatusSwitchingProtocols {
		resp.Header.Set("Connection", "close")
	}
	if len(resp.Trailer) > 0 {
		resp.Header.Del("Content-Length")
	}
	u.rewriteLinks(resp.Header, x.baseURL)
	return nil
}

// writeError answers for the upstream.
func (u *upstream) writeError(w http.ResponseWriter, r *http.Request, err error) {
	x := exchangeOf(r.Context())
	isOpen := x.isOpen()
	if isOpen && r.Context().Err() != nil {
		x.recording.end() // net/http ends the context a moment before it says that it could not read the content
	}
	if x.recording != nil {
		err = cmp.Or(x.recording.failure(), err) // which may be that of the context
	}
	p := problemOf(r.Context(), err)
	p.isLast = p.isLast || isOpen
	if p.Status == http.StatusBadGateway || p.Status == http.StatusGatewayTimeout {
		kind, reason := failureOf(err)
		u.counters.failures.WithLabelValues(u.Name, kind).Inc()
		u.log.LogAttrs(r.Context(), slog.LevelWarn, "upstream failed",
			slog.Int("status", p.Status), slog.String("kind", kind), slog.String("reason", reason))
	}
	p.write(w)
}

// buffers are those with which httputil copies responses.
type buffers struct{ pool sync.Pool }

const bufferSize = 32 << 10

func (b *buffers) Get() []byte {
	if free, isFree := b.pool.Get().(*[bufferSize]byte); isFree {
		return free[:]
	}
	return make([]byte, bufferSize)
}

func (b *buffers) Put(buffer []byte) { b.pool.Put((*[bufferSize]byte)(buffer)) }
