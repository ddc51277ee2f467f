package proxy

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/headway-go/headway"
)

// A server decides what becomes of a client's request.
type server struct {
	upstreams  []*upstream             // the most specific first
	own        map[string]http.Handler // pages of the proxy itself, by path
	resendBody int64
	budget     *budget
	isOpen     bool // other machines can reach the proxy
	isStopping atomic.Bool
}

// newServer puts the upstreams in the order in which they are tried: those with a host first, and longer paths first.
func newServer(c *Config, upstreams []*upstream) *server {
	s := &server{upstreams: slices.Clone(upstreams), resendBody: c.ResendBody, budget: newBudget(mostKept)}
	slices.SortStableFunc(s.upstreams, func(a, b *upstream) int {
		if (a.Host == "") != (b.Host == "") {
			return len(b.Host) - len(a.Host)
		}
		return len(b.Path) - len(a.Path)
	})
	return s
}

// mostKept bounds the content that is kept of all requests, in bytes. Beyond it content is not kept, so that such requests
// are not sent again.
const mostKept = 256 << 20

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	connection := begin(w)
	defer connection.end()
	w = &steadyWriter{w, connection}
	if s.isStopping.Load() {
		stopping().write(w)
		return
	}
	if p := s.foreign(r); p != nil {
		p.write(w)
		return
	}
	if own := s.own[r.URL.Path]; own != nil {
		own.ServeHTTP(w, r)
		return
	}
	u := s.find(r)
	if u == nil {
		(&problem{Title: "no upstream is configured for this host and path", Status: http.StatusNotFound}).write(w)
		return
	}
	s.forward(u, w, r, &steadyReader{r.Body, connection})
}

// forward sends a request, whose content comes from source, to its upstream.
func (s *server) forward(u *upstream, w http.ResponseWriter, r *http.Request, source io.Reader) {
	ctx, err := withFields(r.Context(), r.Header, u.maxWait())
	if err != nil {
		(&problem{Title: err.Error(), Status: http.StatusBadRequest}).write(w)
		return
	}
	x := &exchange{base: "http://" + r.Host + u.Path}
	if r.ContentLength != 0 {
		if x.recording, err = record(r, source, s.resendBody, s.budget); err != nil {
			problemOf(ctx, err).write(w)
			return
		}
		defer x.recording.end()
		if !x.recording.isWhole() {
			_ = http.NewResponseController(w).EnableFullDuplex() // the response may begin while the client still sends
		}
	}
	r = r.WithContext(context.WithValue(ctx, exchangeKey{}, x))
	if isOffer(r) {
		r.Header = r.Header.Clone()
		r.Header.Del("Upgrade")
	}
	u.proxy.ServeHTTP(w, r)
}

// isOffer reports whether a request offers to go on with HTTP/2, as some clients do in every request. The proxy need not
// accept, and the request is one like others (RFC 9110 §7.8).
func isOffer(r *http.Request) bool { return strings.EqualFold(r.Header.Get("Upgrade"), "h2c") }

// find returns the upstream of a request; nil if there is none.
func (s *server) find(r *http.Request) *upstream {
	host, path := hostname(r.Host), r.URL.EscapedPath()
	for _, u := range s.upstreams {
		rest, isBelow := strings.CutPrefix(path, u.Path)
		if isBelow && (u.Path == "" || rest == "" || rest[0] == '/') && (u.Host == "" || u.Host == host) {
			return u
		}
	}
	return nil
}

// foreign returns the response to a request that is for another server: the proxy is not one for all the web. A page on
// the web can make a browser on this machine ask the proxy under a name of its own (DNS rebinding). So a proxy for this
// machine answers only to names of this machine, and to the hosts that are configured.
func (s *server) foreign(r *http.Request) *problem {
	if r.URL.Host != "" {
		return &problem{
			Title: "headway is no forward proxy", Status: http.StatusMisdirectedRequest,
			Detail: "Set the base URL of your client to the proxy's address, instead of HTTP_PROXY.",
		}
	}
	host := hostname(r.Host)
	isKnown := slices.ContainsFunc(s.upstreams, func(u *upstream) bool { return u.Host != "" && u.Host == host })
	if s.isOpen || isKnown || isLocal(host) {
		return nil
	}
	return &problem{
		Title: "the proxy does not answer to this host name", Status: http.StatusMisdirectedRequest,
		Detail: "Use localhost or an address such as 127.0.0.1, or configure the name as the host of an upstream.",
	}
}

// hostname is the name in a Host field, without the port and in lower case.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
}

// isLocal reports whether a name is one of this machine (RFC 6761 §6.3) or a loopback address.
func isLocal(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

// maxWait is the longest wait for the upstream.
func (u *Upstream) maxWait() (d time.Duration) {
	if u.MaxWait == 0 {
		return headway.DefaultMaxWait
	}
	return u.MaxWait
}
