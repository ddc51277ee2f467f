package proxy

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// A server decides what becomes of a client's request.
type server struct {
	upstreams  []*upstream             // the most specific first
	ownPages   map[string]http.Handler // of the proxy itself, by path
	resendBody int64
	budget     *budget
	isExposed  bool     // other machines can reach the proxy
	hosts      []string // by which the proxy may be asked, in lower case
	tokens     []token  // of which a request needs one; empty: none

	mu         sync.Mutex
	isStopping bool           // guarded by mu; from then on serving does not grow
	serving    sync.WaitGroup // requests, also those that were upgraded
}

// newServer puts the upstreams in the order in which they are tried: those with a host first, and longer paths first.
func newServer(c *Config, upstreams []*upstream) *server {
	s := &server{upstreams: slices.Clone(upstreams), resendBody: c.ResendBody, budget: newBudget(maxBuffered), hosts: c.Hosts}
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

// maxBuffered bounds the content that is kept of all requests, in bytes. Beyond it content is not kept, so that such requests
// are not sent again.
const maxBuffered = 256 << 20

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out := &responseWriter{ResponseWriter: w, control: http.NewResponseController(w), isLast: hasDoubtfulEnd(r)}
	defer func() { _ = out.control.SetReadDeadline(time.Now().Add(stall)) }() // net/http skips the rest of the content
	w = out
	if out.isLast {
		w.Header().Set("Connection", "close")
	}
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
	s.forward(u, w, r, &deadlineReader{Reader: r.Body, control: out.control})
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
