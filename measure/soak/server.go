package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headway-go/headway/measure/internal/loopback"
)

// A server can restart at the same address.
type server struct {
	handler http.Handler
	tls     *tls.Config // nil: HTTP/1.1, without TLS
	addr    string

	http       *http.Server
	serving    sync.WaitGroup
	generation int64
	open       atomic.Int64 // connections

	mu      sync.Mutex
	outages []outage
}

// An outage is a time during which a server was down.
type outage struct{ from, to time.Time }

// stale is how long after an outage a client may notice that its connection is gone. On a busy machine this takes
// some time.
const stale = 2 * time.Second

// remembered is how many outages a request can outlast.
const remembered = 32

type generationKey struct{}

// start listens at the same port as before, and at any port the first time.
func (s *server) start() error {
	listener, err := loopback.Listen(cmp.Or(s.addr, loopback.Any))
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	s.addr = listener.Addr().String()
	s.generation++
	generation := s.generation
	s.http = &http.Server{
		Handler: s.handler, TLSConfig: s.tls.Clone(), ConnState: s.count,
		ErrorLog: log.New(io.Discard, "", 0), // broken TLS handshakes are expected
		BaseContext: func(net.Listener) context.Context {
			return context.WithValue(context.Background(), generationKey{}, generation)
		},
	}
	serve := s.http.Serve
	if s.tls != nil {
		serve = func(l net.Listener) error { return s.http.ServeTLS(l, "", "") }
	}
	s.serving.Go(func() { _ = serve(listener) }) // returns when the server is closed
	return nil
}

func (s *server) count(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.open.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.open.Add(-1)
	default:
	}
}

// stop ends the server, gracefully or by closing all connections.
func (s *server) stop(graceful bool) {
	if graceful {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		_ = s.http.Shutdown(ctx) // the rest is closed
		cancel()
	}
	_ = s.http.Close()
	s.serving.Wait()
}

// restart stops the server, and starts it again after a while.
func (s *server) restart(ctx context.Context, graceful bool, down time.Duration) error {
	from := time.Now()
	s.note(outage{from, from.Add(time.Hour)})
	s.stop(graceful)
	loopback.Sleep(ctx, down)
	err := s.start()
	s.mu.Lock()
	s.outages[len(s.outages)-1].to = time.Now().Add(stale)
	s.mu.Unlock()
	return err
}

func (s *server) note(o outage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.outages) == remembered {
		s.outages = s.outages[1:]
	}
	s.outages = append(s.outages, o)
}

// wasDown reports whether the server was down at any time in between.
func (s *server) wasDown(from, to time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.outages {
		if from.Before(o.to) && to.After(o.from) {
			return true
		}
	}
	return false
}
