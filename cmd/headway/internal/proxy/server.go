package proxy

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net/http"
	"strings"
	"time"
)

// A server decides what becomes of a client's request. It never changes: a reload puts another one in its place.
type server struct {
	proxy       *proxy
	upstreams   []*upstream // the most specific first
	resendBody  int64
	isExposed   bool     // other machines can reach the proxy
	hosts       []string // by which the proxy may be asked, in lower case
	tokens      []token  // of which a request needs one; empty: none
	certificate *tls.Certificate
	access      *slog.Logger // a line for each request; nil: none
}

// bySpecificity orders upstreams as they are tried: those with a host first, and longer paths first.
func bySpecificity(a, b *upstream) int {
	if (a.Host == "") != (b.Host == "") {
		return len(b.Host) - len(a.Host)
	}
	return len(b.Path) - len(a.Path)
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{ResponseWriter: w, control: http.NewResponseController(w), began: time.Now(), header: r.Header, isLast: hasDoubtfulEnd(r)}
	isWhole := false
	defer func() {
		_ = x.control.SetReadDeadline(time.Now().Add(stall)) // net/http skips the rest of the content
		s.end(x, r, isWhole)
	}()
	if p := s.serve(x, r); p != nil {
		p.answer(x, r)
	}
	isWhole = true
}

// serve finds the upstream of a request that may be sent. It returns the response to one that is not.
func (s *server) serve(x *exchange, r *http.Request) *problem {
	leave, p := s.proxy.entrance.enter(r)
	defer leave()
	if p == nil {
		p = s.refusalOf(r)
	}
	if p != nil {
		return p
	}
	x.upstream = s.find(r)
	switch {
	case x.upstream == nil:
		return &problem{Title: "no upstream is configured for this host and path", Status: http.StatusNotFound}
	case !x.upstream.isBelow(r):
		return &problem{Title: "the path leads above that of the upstream", Status: http.StatusBadRequest}
	}
	return s.forward(x, r)
}

// forward sends a request to its upstream. It returns the response to one that cannot be read.
func (s *server) forward(x *exchange, r *http.Request) *problem {
	ctx, err := withFields(r.Context(), r.Header, x.upstream.MaxWait)
	if err != nil {
		return &problem{Title: err.Error(), Status: http.StatusBadRequest}
	}
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	x.baseURL = scheme + r.Host + x.upstream.Path
	if r.ContentLength != 0 {
		if x.recording, err = record(r, &deadlineReader{Reader: r.Body, control: x.control}, s.resendBody, s.proxy.budget); err != nil {
			return problemOf(ctx, err)
		}
		defer x.recording.end()
		if !x.recording.isWhole() {
			_ = x.control.EnableFullDuplex() // the response may begin while the client still sends
		}
	}
	x.upstream.proxy.ServeHTTP(x, r.WithContext(context.WithValue(ctx, exchangeKey{}, x)))
	return nil
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
