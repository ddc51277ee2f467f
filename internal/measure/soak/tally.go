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

// A tally counts what is open.
type tally struct{ atomic.Int64 }

// open returns a request's body, which is counted until it is closed.
func (t *tally) open(p *plan) *countedBody {
	t.Add(1)
	return &countedBody{Reader: bytes.NewReader(p.content(p.size)), owner: t}
}

// A countedBody has somebody who has to close it.
type countedBody struct {
	io.Reader
	mu    sync.Mutex
	owner *tally // nil: it is closed
}

// handTo makes t the one where it is counted.
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

// A border is where requests leave headway for net/http, and so the duty to close their
// bodies. What net/http makes with GetBody is its own from the beginning: it leaves some
// open, when a server with HTTP/2 goes away and cannot be reached for another try.
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

// CloseIdleConnections is what Transport calls.
func (b *border) CloseIdleConnections() { b.base.CloseIdleConnections() }

// dial makes a connection, which is counted until it is closed.
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
