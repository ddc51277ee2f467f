package proxy

import (
	"context"
	"crypto/tls"
	"net/http"
	"slices"
	"strings"
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

// maxBuffered bounds the content that is kept of all requests, in bytes. Beyond it content is not kept, so that such requests
// are not sent again.
const maxBuffered = 256 << 20

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	deadlines := newDeadlines(w)
	defer deadlines.end()
	out := &deadlineWriter{ResponseWriter: w, deadlines: deadlines, isLast: hasDoubtfulEnd(r)}
	w = out
	if out.isLast {
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
	out.isStream = true
	s.forward(u, w, r, &deadlineReader{Reader: r.Body, deadlines: deadlines})
}

// forward sends a request, whose content comes from source, to its upstream.
func (s *server) forward(u *upstream, w http.ResponseWriter, r *http.Request, source *deadlineReader) {
	ctx, err := withFields(r.Context(), r.Header, u.MaxWait)
	if err != nil {
		(&problem{Title: err.Error(), Status: http.StatusBadRequest}).answer(w, r)
		return
	}
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	x := &exchange{header: r.Header, baseURL: scheme + r.Host + u.Path}
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
