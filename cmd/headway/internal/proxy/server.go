package proxy

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// A server decides what becomes of a client's request.
type server struct {
	upstreams  []*upstream             // the most specific first
	ownPages   map[string]http.Handler // of the proxy itself, by path
	resendBody int64
	budget     *budget
	isExposed  bool // other machines can reach the proxy

	mu         sync.Mutex
	isStopping bool           // guarded by mu; from then on serving does not grow
	serving    sync.WaitGroup // requests, also those that were upgraded
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

// enter counts a request, unless the proxy stops.
func (s *server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isStopping {
		s.serving.Add(1)
	}
	return !s.isStopping
}

// stop refuses all requests from now on.
func (s *server) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isStopping = true
}

// wait waits until no request is served. http.Server.Shutdown does not know of those that were upgraded.
func (s *server) wait(ctx context.Context) error {
	done := make(chan struct{})
	go func() { s.serving.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// mostKept bounds the content that is kept of all requests, in bytes. Beyond it content is not kept, so that such requests
// are not sent again.
const mostKept = 256 << 20

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	deadlines := newDeadlines(w)
	defer deadlines.end()
	out := &deadlineWriter{ResponseWriter: w, deadlines: deadlines}
	w = out
	if !s.enter() {
		stopping().answer(w, r)
		return
	}
	defer s.serving.Done()
	if p := s.refusalOf(r); p != nil {
		p.answer(w, r)
		return
	}
	if page := s.ownPages[r.URL.EscapedPath()]; page != nil {
		if r.ContentLength != 0 { // nobody reads the content
			w.Header().Set("Connection", "close")
		}
		page.ServeHTTP(w, r)
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
	x := &exchange{header: r.Header, baseURL: "http://" + r.Host + u.Path}
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

// refusalOf returns the response to a request that is for another server, or that a web page has made; nil: it is neither.
//
// The proxy is not one for all the web, so a request has a path and no URL. A page on the web can make a browser on this
// machine send requests to the proxy, even under a name of the page's own (DNS rebinding). So a proxy for this machine
// answers only to names of this machine and to the hosts that are configured, and not to pages of other sites.
func (s *server) refusalOf(r *http.Request) *problem {
	switch {
	case !strings.HasPrefix(r.RequestURI, "/"), r.Method == http.MethodConnect:
		return &problem{
			Title: "headway is no forward proxy", Status: http.StatusMisdirectedRequest,
			Detail: "Set the base URL of your client to the proxy's address, instead of HTTP_PROXY.",
		}
	case s.isExposed:
		return nil
	case !s.answersTo(r.Host):
		return &problem{
			Title: "the proxy does not answer to this host name", Status: http.StatusMisdirectedRequest,
			Detail: "Use localhost or an address such as 127.0.0.1, or configure the name as the host of an upstream.",
		}
	case s.isCrossSite(r):
		return &problem{Title: "the proxy does not answer to pages of other sites", Status: http.StatusForbidden}
	}
	return nil
}

func (s *server) answersTo(host string) bool {
	host = hostname(host)
	return isLocal(host) || slices.ContainsFunc(s.upstreams, func(u *upstream) bool { return u.Host != "" && u.Host == host })
}

// isCrossSite reports whether a page of another site has made the request. Browsers say so, and programs say neither.
func (s *server) isCrossSite(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return r.Header.Get("Sec-Fetch-Site") == "cross-site"
	}
	u, err := url.Parse(origin)
	return err != nil || !s.answersTo(u.Host)
}

// hostname is the name in a Host field, without the port and in lower case.
func hostname(host string) string {
	return strings.ToLower((&url.URL{Host: host}).Hostname())
}

// isLocal reports whether a name is one of this machine (RFC 6761 §6.3) or a loopback address.
func isLocal(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}
