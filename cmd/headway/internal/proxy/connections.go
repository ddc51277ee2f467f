package proxy

import (
	"container/list"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

// leastIdle is how long a connection is left alone between two requests, or before the first one. After that it makes room for
// a client that finds no place. A shorter time would cut off clients that are about to send.
const leastIdle = time.Second

// connections are those of a listener, of which so many are open at once. A client beyond that waits until a connection ends
// or has been idle for a while: the one that has been idle for longest is closed for it. Otherwise clients that keep
// connections open, as most do, would lock out all others.
//
// A connection is idle from when it is accepted or has got a response, until the fields of the next request are complete.
type connections struct {
	net.Listener

	most int
	full func() // called when the first client finds no place

	mu       sync.Mutex
	changed  sync.Cond  // on mu: a connection has ended, become idle, or is now idle for long enough; or all is closed
	open     int        // guarded by mu, as are the next ones
	idle     *list.List // of *connection, the one that is idle for longest first
	isFull   bool       // full was called, and a quarter of the places was not free since
	isClosed bool
}

// newConnections makes connections, whose Listener is to be set.
func newConnections(most int, full func()) *connections {
	c := &connections{most: most, full: full, idle: list.New()}
	c.changed.L = &c.mu
	return c
}

// places returns how many connections have a request, and how many have none.
func (c *connections) places() (busy, idle int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open - c.idle.Len(), c.idle.Len()
}

// A connection is one of a client.
type connection struct {
	net.Conn

	all *connections

	ended bool          // guarded by all.mu, as are place and since
	place *list.Element // in all.idle; nil: it is not idle
	since time.Time     // when it became idle
}

// Accept waits for a client, and then for a place. Call it from one goroutine.
func (c *connections) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.hasRoom() {
		if c.isClosed {
			_ = conn.Close() // no request was read
			return nil, net.ErrClosed
		}
		c.changed.Wait()
	}
	c.open++
	x := &connection{Conn: patientConn{conn, stallOfResponse}, all: c}
	x.rest()
	return x, nil
}

// Close ends Accept, too.
func (c *connections) Close() error {
	c.mu.Lock()
	c.isClosed = true
	c.changed.Broadcast()
	c.mu.Unlock()
	return c.Listener.Close()
}

// watch is a ConnState of http.Server. Connections that are upgraded are in use until they are closed.
func (c *connections) watch(conn net.Conn, state http.ConnState) {
	if secure, isTLS := conn.(*tls.Conn); isTLS {
		conn = secure.NetConn()
	}
	x, isOurs := conn.(*connection)
	if !isOurs {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateIdle:
		x.rest()
	case http.StateActive, http.StateHijacked:
		x.work()
	case http.StateNew, http.StateClosed:
	}
}

// Close gives the place back.
func (x *connection) Close() error {
	x.all.mu.Lock()
	x.leave()
	x.all.mu.Unlock()
	return x.Conn.Close()
}

// The following need all.mu.

// hasRoom reports whether there is a place for a new connection, and makes one if it can. If it can do so later, changed says when.
func (c *connections) hasRoom() bool {
	if c.open < c.most {
		return true
	}
	oldest := c.idle.Front()
	if oldest == nil {
		if !c.isFull {
			c.isFull = true
			go c.full() // without the lock
		}
		return false
	}
	x := oldest.Value.(*connection) //nolint:forcetypeassert // nothing else is in it
	if left := leastIdle - time.Since(x.since); left > 0 {
		time.AfterFunc(left, c.changed.Broadcast)
		return false
	}
	x.leave()
	_ = x.Conn.Close() // which does not wait; net/http finds out as it does when a client leaves
	return true
}

// rest says that the connection is idle from now on.
func (x *connection) rest() {
	x.work()
	if !x.ended {
		x.since, x.place = time.Now(), x.all.idle.PushBack(x)
		x.all.tell()
	}
}

// work says that the connection is in use.
func (x *connection) work() {
	if x.place != nil {
		x.all.idle.Remove(x.place)
		x.place = nil
	}
}

func (x *connection) leave() {
	x.work()
	if !x.ended {
		x.ended = true
		x.all.open--
		x.all.tell()
	}
}

func (c *connections) tell() {
	c.isFull = c.isFull && (c.open-c.idle.Len())*4 > c.most*3
	c.changed.Broadcast()
}

// An entrance counts the requests that are served, in all and of each client, until the proxy stops.
type entrance struct {
	most int // requests at once of one client; 0 or less: no bound

	mu       sync.Mutex
	isClosed bool           // guarded by mu, as is clients; from then on serving does not grow
	clients  map[string]int // requests by address
	serving  sync.WaitGroup // requests, also those that were upgraded
}

// enter counts a request until leave is called. p is the response to a request that is not served.
func (e *entrance) enter(r *http.Request) (leave func(), p *problem) {
	client, _, _ := net.SplitHostPort(r.RemoteAddr) // "": on a socket
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.isClosed:
		return func() {}, stopping()
	case e.most > 0 && e.clients[client] >= e.most:
		return func() {}, &problem{
			Title: "this client has too many requests at once", Status: http.StatusServiceUnavailable, retryAfter: 1,
			Detail: "They may wait for their turn. The proxy's max-per-client bounds them.",
		}
	}
	e.serving.Add(1)
	e.clients[client]++
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.clients[client]--; e.clients[client] == 0 {
			delete(e.clients, client)
		}
		e.serving.Done()
	}, nil
}

// close refuses all requests from now on.
func (e *entrance) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.isClosed = true
}

// wait waits until no request is served. http.Server.Shutdown does not know of those that were upgraded.
func (e *entrance) wait(ctx context.Context) error {
	done := make(chan struct{})
	go func() { e.serving.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
