package proxy

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"
)

// A server decides what becomes of a client's request. It never changes: a reload puts another one in its place.
type server struct {
	upstreams   []*upstream // the most specific first
	resendBody  int64
	budget      *budget
	isExposed   bool     // other machines can reach the proxy
	hosts       []string // by which the proxy may be asked, in lower case
	tokens      []token  // of which a request needs one; empty: none
	certificate *tls.Certificate
	entrance    *entrance
	counters    *counters
	access      *slog.Logger // a line for each request; nil: none
}

// newServer puts the upstreams in the order in which they are tried: those with a host first, and longer paths first.
func newServer(c *Config, upstreams []*upstream) *server {
	s := &server{upstreams: slices.Clone(upstreams), resendBody: c.ResendBody, hosts: c.Hosts, isExposed: c.isExposed()}
	slices.SortStableFunc(s.upstreams, func(a, b *upstream) int {
		if (a.Host == "") != (b.Host == "") {
			return len(b.Host) - len(a.Host)
		}
		return len(b.Path) - len(a.Path)
	})
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out := &responseWriter{ResponseWriter: w, control: http.NewResponseController(w), isLast: hasDoubtfulEnd(r)}
	x, isWhole := &exchange{header: r.Header, report: report{began: time.Now()}}, false
	defer func() {
		_ = out.control.SetReadDeadline(time.Now().Add(stall)) // net/http skips the rest of the content
		s.end(x, r, out, isWhole)
	}()
	s.serve(x, out, r)
	isWhole = true
}

func (s *server) serve(x *exchange, w *responseWriter, r *http.Request) {
	if w.isLast {
		w.Header().Set("Connection", "close")
	}
	leave, p := s.entrance.enter(r)
	defer leave()
	if p == nil {
		p = s.refusalOf(r)
	}
	if p != nil {
		p.answer(w, r)
		return
	}
	u := s.find(r)
	if u == nil {
		(&problem{Title: "no upstream is configured for this host and path", Status: http.StatusNotFound}).answer(w, r)
		return
	}
	x.upstream, w.isStream = u.Name, true
	s.forward(u, x, w, r)
}

// forward sends a request to its upstream.
func (s *server) forward(u *upstream, x *exchange, w *responseWriter, r *http.Request) {
	if !u.isBelow(r) {
		(&problem{Title: "the path leads above that of the upstream", Status: http.StatusBadRequest}).answer(w, r)
		return
	}
	ctx, err := withFields(r.Context(), r.Header, u.MaxWait)
	if err != nil {
		(&problem{Title: err.Error(), Status: http.StatusBadRequest}).answer(w, r)
		return
	}
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	x.baseURL = scheme + r.Host + u.Path
	w.adapt = func(h http.Header) { u.rewriteLinks(h, x.baseURL) }
	if r.ContentLength != 0 {
		if x.recording, err = record(r, &deadlineReader{Reader: r.Body, control: w.control}, s.resendBody, s.budget); err != nil {
			problemOf(ctx, err).write(w)
			return
		}
		defer x.recording.end()
		if !x.recording.isWhole() {
			_ = w.control.EnableFullDuplex() // the response may begin while the client still sends
		}
	}
	r = r.WithContext(context.WithValue(ctx, exchangeKey{}, x))
	u.proxy.ServeHTTP(w, r)
}

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
