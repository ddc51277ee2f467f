package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// A tally counts open connections or bodies.
type tally struct{ atomic.Int64 }

// open returns a request's body that counts until it is closed.
func (t *tally) open(p *plan) *countedBody {
	t.Add(1)
	return &countedBody{Reader: bytes.NewReader(p.content(p.size)), owner: t}
}

// A countedBody counts in the tally of the layer that has to close it.
type countedBody struct {
	io.Reader
	mu    sync.Mutex
	owner *tally // nil: closed
}

// handTo moves the body to the tally t.
func (b *countedBody) handTo(t *tally) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.owner == nil {
		return
	}
	b.owner.Add(-1)
	if b.owner = t; t != nil {
		t.Add(1)
	}
}

func (b *countedBody) Close() error {
	b.handTo(nil)
	return nil
}

// A border is the RoundTripper between headway and net/http. From there on net/http has to close the bodies. It
// leaves some bodies from GetBody open, when an HTTP/2 server goes away and a retry cannot connect. So these count as
// net/http's from the beginning.
type border struct {
	beyond *tally
	base   *http.Transport
}

func (b *border) RoundTrip(req *http.Request) (*http.Response, error) {
	if body, ok := req.Body.(*countedBody); ok {
		body.handTo(b.beyond)
	}
	if req.GetBody != nil {
		get := req.GetBody
		req = req.WithContext(req.Context()) // a shallow copy
		req.GetBody = func() (io.ReadCloser, error) {
			body, err := get()
			if counted, ok := body.(*countedBody); ok {
				counted.handTo(b.beyond)
			}
			return body, err
		}
	}
	return b.base.RoundTrip(req)
}

// CloseIdleConnections is called by Transport.
func (b *border) CloseIdleConnections() { b.base.CloseIdleConnections() }

// dial makes a connection that counts until it is closed.
func (t *tally) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	t.Add(1)
	return &countedConn{Conn: conn, closed: sync.OnceFunc(func() { t.Add(-1) })}, nil
}

type countedConn struct {
	net.Conn
	closed func()
}

func (c *countedConn) Close() error {
	c.closed()
	return c.Conn.Close()
}
