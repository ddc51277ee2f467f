//go:build unix

package main

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/headway-go/headway/ratelimittest"
)

// A service is the HTTP server whose quota all members share.
type service struct {
	*httptest.Server
	handler ratelimittest.Handler

	mu    sync.Mutex
	calls map[[2]string]int // how often each call was served, by member and number
}

// newService starts a service. The caller closes it.
func newService(l ratelimittest.Limiter, d ratelimittest.Dialect) *service {
	s := &service{calls: make(map[[2]string]int)}
	s.handler = ratelimittest.Handler{
		Limiter: l, Dialect: d,
		Client: func(*http.Request) string { return "" },
		Next:   http.HandlerFunc(s.serve),
	}
	s.Server = httptest.NewServer(http.HandlerFunc(s.receive))
	return s
}

// receive sets each request's address to its member's name for the log, as all members have the same address.
func (s *service) receive(w http.ResponseWriter, r *http.Request) {
	time.Sleep(latency / 2)
	r = r.WithContext(r.Context())
	r.RemoteAddr = r.Header.Get(memberHeader)
	s.handler.ServeHTTP(w, r)
}

func (s *service) serve(_ http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.calls[[2]string{r.Header.Get(memberHeader), r.Header.Get(callHeader)}]++
	s.mu.Unlock()
	time.Sleep(latency / 2)
}

// twice counts the calls that were served more than once.
func (s *service) twice() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, times := range s.calls {
		if times > 1 {
			n++
		}
	}
	return n
}
